import FirestoreModel
import KeyValueStore

// Forgetting what is old. A step does a little; it blocks.

extension PushService {
  /// Rows that one step deletes.
  private static let rows = 500

  /// Deletes some of what is older than it is kept; true where there may be more.
  package func pruneStep() throws -> Bool {
    let now = now
    let oldest = now - limits.messageDays * Self.day
    let oldestCounts = now - max(limits.countDays, limits.messageDays) * Self.day
    let work = try reading { reader -> Pruning? in
      for project in try Self.projects(.message, reader) {
        if let found = try Self.oldMessage(of: project, before: oldest, reader) { return found }
      }
      for project in try Self.projects(.summary, reader) {
        if let found = try Self.oldSummaries(of: project, before: oldestCounts, reader) {
          return found
        }
      }
      return nil
    }
    guard let work else { return false }
    do {
      try engine.write(.background) { group in
        if let summary = work.summary {
          let key = MessageSummary.key(summary.message.project, summary.message.id)
          try group.put(key, summary.encoded)
        }
        for key in work.keys { try group.delete(key) }
      }
    } catch {
      throw MessagingError.engine(error)
    }
    return true
  }

  private static let day: Int64 = 86_400_000_000

  /// What one step deletes, and what it keeps of it.
  private struct Pruning {
    let keys: [[UInt8]]
    var summary: MessageSummary?
  }

  /// The projects that have keys of a kind.
  private static func projects(
    _ kind: MessagingKey.Kind,
    _ reader: any KeyValueReader
  ) throws -> [Text] {
    let cursor = try reader.cursor(over: MessagingKey(kind).range, reversed: false)
    var projects: [Text] = []
    var found = try cursor.next()
    while found {
      let (project, _) = try MessagingKey.project(of: cursor.key)
      projects.append(project)
      guard let next = MessagingKey(kind, project).range.upper else { break }
      found = try cursor.seek(next)
    }
    return projects
  }

  /// Keys of a project's oldest message, if it is old and nothing waits of it; the message itself comes last.
  private static func oldMessage(
    of project: Text,
    before oldest: Int64,
    _ reader: any KeyValueReader
  ) throws -> Pruning? {
    let cursor = try reader.cursor(over: MessagingKey(.message, project).range, reversed: false)
    while try cursor.next() {
      let id = try MessagingKey.number(in: cursor.key)
      guard id < oldest else { return nil }
      let message = try StoredMessage(decoding: cursor.value, project: project, id: id)
      let deadline = MessagingKey.timed(.deadline, message.lastDeadline, id)
      guard message.stage == .expanded, try reader.get(deadline) == nil else { continue }
      // Counts go with the first rows, so that they never tell of rows that are there no more; a summary has them by then.
      let summary = try summary(of: message, reader)
      var keys = [MessagingKey(.counts, project, id).bytes]
      let prefix = MessagingKey(.delivery, project, id)
      let deliveries = try reader.cursor(over: prefix.range, reversed: false)
      while keys.count < rows, try deliveries.next() { keys.append(Array(deliveries.key)) }
      if keys.count < rows { keys.append(Array(cursor.key)) }
      return Pruning(keys: keys, summary: summary)
    }
    return nil
  }

  /// What is to be kept of a message to many; nil for others, and where it is kept already.
  private static func summary(
    of message: StoredMessage,
    _ reader: any KeyValueReader
  ) throws -> MessageSummary? {
    guard !message.target.isDirect,
      try reader.get(MessageSummary.key(message.project, message.id)) == nil
    else { return nil }
    let counts = try reader.get(MessagingKey(.counts, message.project, message.id).bytes).map {
      try MessageCounts(decoding: $0)
    }
    return MessageSummary(message, counts ?? MessageCounts())
  }

  /// Keys of a project's oldest summaries, if they are old.
  private static func oldSummaries(
    of project: Text,
    before oldest: Int64,
    _ reader: any KeyValueReader
  ) throws -> Pruning? {
    var range = MessagingKey(.summary, project).range
    range.upper = MessageSummary.key(project, oldest)
    let cursor = try reader.cursor(over: range, reversed: false)
    var keys: [[UInt8]] = []
    while keys.count < rows, try cursor.next() { keys.append(Array(cursor.key)) }
    return keys.isEmpty ? nil : Pruning(keys: keys)
  }
}
