import BaseText
import KeyValueStore

// The outbox of key events. A batch with a followed key event is written a second time, in the
// group that counts it, so that no crash comes between the two. A follower of key events reads the
// outbox, stores the events itself, and only then ends them here: an event may be read twice, with
// the same ID.

extension EventAnalytics {
  /// Has key events kept for a follower; call it before batches come.
  package func followKeyEvents(by follower: KeyEventFollower) {
    state.withLock { $0.keyEventFollower = follower }
  }

  /// The follower of an event in a batch; nil if there is none.
  func keyEventFollower(of batch: EventBatch, in log: ProjectLog) -> KeyEventFollower? {
    let names = log.settings.keyEvents
    guard !names.isEmpty, let follower = state.withLock({ $0.keyEventFollower }) else { return nil }
    let isFollowed = batch.events.contains {
      names.contains($0.name) && follower.follows($0.name, log.name)
    }
    return isFollowed ? follower : nil
  }

  /// The oldest batches with unread key events; blocks.
  package func waitingKeyEvents(limit: Int = 100) throws -> [WaitingKeyEvents] {
    let logs = Dictionary(logs.map { ($0.number, $0) }) { first, _ in first }
    return try engine.read { reader in
      let range = KeyRange(prefix: [EventKey.Kind.outbox.rawValue])
      let cursor = try reader.cursor(over: range, reversed: false)
      var found: [WaitingKeyEvents] = []
      while found.count < limit, try cursor.next() {
        let batch = try EventBatch(decoding: cursor.value)
        let numbers = try [1, 5, 9].map { try EventKey.requiredNumber(cursor.key, at: $0) }
        let log = logs[numbers[0]]
        found.append(
          WaitingKeyEvents(
            key: Array(cursor.key),
            events: log.map { Self.keyEvents(of: batch, in: $0, numbers) } ?? []
          )
        )
      }
      return found
    }
  }

  private static func keyEvents(
    of batch: EventBatch,
    in log: ProjectLog,
    _ numbers: [UInt32]
  ) -> [KeyEvent] {
    let settings = log.settings
    var calendar = DayCalendar(settings.zone)
    var common = batch
    common.events = []
    // Batch numbers restart with another store; times don't.
    let place = ([batch.received] + numbers.map { Int64($0) }).map { String($0, radix: 16) }
    return batch.events.enumerated().compactMap { index, event in
      guard settings.keyEvents.contains(event.name) else { return nil }
      return KeyEvent(
        id: (place + ["\(index)"]).joined(separator: "-"),
        project: log.name,
        event: event,
        batch: common,
        day: calendar?.day(of: event.time).compactText ?? ""
      )
    }
  }

  /// Ends batches whose key events their follower has; blocks.
  package func end(_ taken: [WaitingKeyEvents]) throws {
    try engine.write { group in for batch in taken { try group.delete(batch.key) } }
  }
}

extension EventKey {
  /// The place in the outbox of a batch of the intake.
  static func outbox(of intake: [UInt8]) -> [UInt8] { [Kind.outbox.rawValue] + intake.dropFirst() }
}
