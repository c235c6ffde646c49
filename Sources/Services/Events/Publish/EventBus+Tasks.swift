import BaseStatus
import DocumentStore
import KeyValueStore

/// A task to enqueue.
package struct NewTask: Sendable, Hashable {
  /// The name, unique in its queue; nil has one made.
  package var name: String?
  /// The time before which it is not dispatched, in microseconds; 0 is at once.
  package var due: Int64 = 0
  /// The body of its request.
  package var body: [UInt8] = []
  /// The headers of its request, their names in lower case.
  package var headers: [String: String] = [:]

  /// A task without a body.
  package init() {}
}

extension EventBus {
  /// The furthest that a task may lie ahead, in microseconds: 30 days.
  private static let horizon: Int64 = 30 * 86_400 * 1_000_000
  /// Microseconds for which the name of a task that ended can't be used again.
  private static let nameTime: Int64 = 3_600 * 1_000_000

  /// Headers that the host sets: a task's own ones of these names are dropped.
  private static func isReserved(_ name: String) -> Bool {
    name.hasPrefix("x-cloudtasks-") || name.hasPrefix("x-cloudscheduler") || name.hasPrefix("ce-")
      || name.hasPrefix("x-google-") || name == "authorization" || name == "host"
      || name == "content-length" || name == "transfer-encoding" || name == "connection"
  }

  /// Enqueues a task and returns its name once it is durable.
  ///
  /// Throws NOT_FOUND for a queue that no function declares, ALREADY_EXISTS for a name in use.
  package func enqueue(
    _ task: NewTask,
    queue: String,
    location: String,
    project: String,
    by author: CommitAuthor
  ) async throws -> String {
    let trigger = try queueTrigger(queue, location, project)
    let now = now
    guard task.due <= now + Self.horizon else {
      throw ServiceError(.invalidArgument, "The task's scheduleTime is more than 30 days ahead.")
    }
    if let name = task.name { try Self.check(name) }
    let headers = task.headers.filter { !Self.isReserved($0.key) }
    return try await write { [tap] group in
      let sequence = EventSequence(version: try group.allocateVersion(), ordinal: 0)
      let name = task.name ?? "\(sequence.version)"
      let key = EventKey(.task).number(trigger.number).text(name).bytes
      if try group.get(key) != nil {
        throw ServiceError(
          .alreadyExists,
          "The task cannot be created because a task with this name existed too recently."
        )
      }
      if task.name != nil { try group.put(key, sequence.bytes) }
      var event = StoredEvent(family: nil, project: project)
      event.scope = location
      event.subject = name
      event.data = task.body
      event.author = author
      event.time = max(now, task.due)
      event.attributes = Dictionary(
        headers.map { ("header-" + $0.key, $0.value) }
      ) { first, _ in first }
      event.triggers = [trigger.number]
      let due = task.due > now ? task.due : 0
      try tap.add(event, sequence, order: nil, due: due, in: group)
      return name
    }
  }

  /// Deletes a task of a name that its sender chose; throws NOT_FOUND where it is not in the queue.
  package func deleteTask(
    _ name: String,
    queue: String,
    location: String,
    project: String
  ) async throws {
    let trigger = try queueTrigger(queue, location, project)
    try await write { group in
      let key = EventKey(.task).number(trigger.number).text(name).bytes
      let value = try group.get(key)
      let sequence =
        try value.map { try EventSequence(value: $0) }
        ?? Int64(name).map { EventSequence(version: $0, ordinal: 0) }
      guard let sequence, try EventBook(group).end(trigger.number, sequence) else {
        throw ServiceError(.notFound, "The task does not exist.")
      }
    }
  }

  private func queueTrigger(
    _ queue: String,
    _ location: String,
    _ project: String
  ) throws -> StoredTrigger {
    for trigger in tap.triggers.triggers.values {
      guard case .queue(let declared) = trigger.stored.cause, trigger.stored.project == project,
        trigger.stored.name == queue, declared.region == location
      else { continue }
      return trigger.stored
    }
    throw ServiceError(
      .notFound,
      "Queue does not exist. Deploy a function \(queue) with a task queue trigger in \(location)."
    )
  }

  private static func check(_ name: String) throws {
    let isPlain = name.utf8.allSatisfy {
      (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0)
        || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_")
    }
    guard isPlain, (1...500).contains(name.utf8.count) else {
      throw ServiceError(
        .invalidArgument,
        "The task's name must be 1 to 500 letters, digits, hyphens and underscores."
      )
    }
  }

  /// Frees names of tasks that ended an hour ago; true if there may be more to look at.
  func freeTaskNames() throws -> Bool {
    let limit = now - Self.nameTime
    let start = taskSweep.withLock { $0 }
    return try engine.write(.background) { group in
      let range = EventKey(.task).range
      let cursor = try group.cursor(over: range, reversed: false)
      var isThere = try start.isEmpty ? cursor.next() : cursor.seek(start)
      var seen = 0
      var free: [[UInt8]] = []
      var next: [UInt8] = []
      while isThere {
        let key = Array(cursor.key)
        if seen == 500 {
          next = key
          break
        }
        seen += 1
        let sequence = try EventSequence(value: Array(cursor.value))
        let trigger = try EventKey.number(in: cursor.key)
        let isPending = try group.get(EventKey.pending(trigger, sequence)) != nil
        let isDead = try group.get(EventKey.dead(trigger, sequence)) != nil
        if sequence.version < limit, !isPending, !isDead { free.append(key) }
        isThere = try cursor.next()
      }
      for key in free { try group.delete(key) }
      taskSweep.withLock { $0 = next }
      return !next.isEmpty
    }
  }
}
