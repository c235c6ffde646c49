import BaseStatus
import KeyValueStore

/// One event of a trigger as administrators see it.
package struct ListedEvent: Sendable, Hashable {
  /// The place of the event, with which its id begins.
  package let id: String
  /// The trigger.
  package let trigger: StoredTrigger
  /// The event.
  package let event: StoredEvent
  /// True for a dead letter.
  package let isDead: Bool
  /// Attempts that were made.
  package let attempts: Int
  /// The time of the next attempt, or of death; microseconds; 0 is at once.
  package let time: Int64
  /// The status of the last failure; 0 for none.
  package let status: Int
  /// The reason of the last failure.
  package let reason: String?
}

extension EventBus {
  /// The first events of a project's triggers that wait, or that are dead letters.
  ///
  /// Blocks.
  package func list(
    project: String,
    isDead: Bool,
    trigger name: String? = nil,
    limit: Int
  ) throws -> [ListedEvent] {
    let triggers = try triggers(of: project).filter { name == nil || $0.name == name }
    return try engine.read { reader in
      var listed: [ListedEvent] = []
      for trigger in triggers where listed.count < limit {
        let range = EventKey(isDead ? .dead : .pending).number(trigger.number).range
        let cursor = try reader.cursor(over: range, reversed: false)
        while listed.count < limit, try cursor.next() {
          let sequence = try EventKey.sequence(atEndOf: cursor.key)
          let value = Array(cursor.value)
          if let event = try Self.listed(trigger, sequence, value, isDead, in: reader) {
            listed.append(event)
          }
        }
      }
      return listed
    }
  }

  /// The events of an id, one a trigger that has it.
  ///
  /// Blocks.
  package func find(_ id: String, project: String) throws -> [ListedEvent] {
    guard let sequence = EventSequence(text: id) else { return [] }
    let triggers = try triggers(of: project)
    return try engine.read { reader in
      try triggers.flatMap { trigger in
        try [false, true].compactMap { isDead in
          let key =
            isDead
            ? EventKey.dead(trigger.number, sequence) : EventKey.pending(trigger.number, sequence)
          guard let value = try reader.get(key) else { return nil }
          return try Self.listed(trigger, sequence, value, isDead, in: reader)
        }
      }
    }
  }

  private static func listed(
    _ trigger: StoredTrigger,
    _ sequence: EventSequence,
    _ value: [UInt8],
    _ isDead: Bool,
    in reader: any KeyValueReader
  ) throws -> ListedEvent? {
    guard let stored = try reader.get(EventKey.event(sequence)) else { return nil }
    let event = try StoredEvent(decoding: stored)
    let letter = isDead ? try DeadLetter(decoding: value) : nil
    let pending = try letter?.pending ?? PendingEvent(decoding: value)
    return ListedEvent(
      id: sequence.text,
      trigger: trigger,
      event: event,
      isDead: isDead,
      attempts: pending.attempts,
      time: letter?.died ?? pending.due,
      status: pending.status,
      reason: pending.reason
    )
  }

  /// Returns dead letters of a project to their queues: those of an id, or all of a trigger; returns their number.
  ///
  /// Blocks. Events are delivered again with their old ids.
  package func replay(_ selection: DeadLetterSelection) throws -> Int {
    try change(selection) { group, trigger, sequence, now in
      try EventBook(group).revive(trigger, sequence, at: now)
    }
  }

  /// Removes dead letters for good; returns their number.
  ///
  /// Blocks.
  package func discard(_ selection: DeadLetterSelection) throws -> Int {
    try change(selection) { group, trigger, sequence, _ in
      try EventBook(group).discard(trigger, sequence)
    }
  }

  private func change(
    _ selection: DeadLetterSelection,
    _ act: @Sendable (any KeyValueGroup, Int64, EventSequence, Int64) throws -> Bool
  ) throws -> Int {
    let now = now
    var count = 0
    let triggers = try triggers(of: selection.project)
      .filter { selection.trigger == nil || $0.name == selection.trigger }
    for trigger in triggers {
      while true {
        let found = try deadSequences(of: trigger.number, selection.id)
        if found.isEmpty { break }
        count += try engine.write { group in
          try found.count { try act(group, trigger.number, $0, now) }
        }
        noteRewind(trigger.number)
      }
    }
    return count
  }

  private func deadSequences(of trigger: Int64, _ id: String?) throws -> [EventSequence] {
    try engine.read { reader in
      if let id {
        guard let sequence = EventSequence(text: id),
          try reader.get(EventKey.dead(trigger, sequence)) != nil
        else { return [] }
        return [sequence]
      }
      let cursor = try reader.cursor(over: EventKey(.dead).number(trigger).range, reversed: false)
      var found: [EventSequence] = []
      while found.count < 500, try cursor.next() {
        found.append(try EventKey.sequence(atEndOf: cursor.key))
      }
      return found
    }
  }

  /// The numbers of events that wait and of dead letters, each counted up to a bound.
  ///
  /// Blocks.
  package func counts(upTo limit: Int = 100_000) throws -> (waiting: Int, dead: Int) {
    try engine.read { reader in
      func count(_ kind: EventKey.Kind) throws -> Int {
        let cursor = try reader.cursor(over: EventKey(kind).range, reversed: false)
        var number = 0
        while number < limit, try cursor.next() { number += 1 }
        return number
      }
      return (try count(.pending), try count(.dead))
    }
  }

  /// Counters since the start, by the names of metrics.
  package var metrics: [(name: String, value: Double)] {
    [
      ("events_delivered_total", Double(figures.delivered.load(ordering: .relaxed))),
      ("events_failed_attempts_total", Double(figures.failed.load(ordering: .relaxed))),
      ("events_dead_total", Double(figures.dead.load(ordering: .relaxed))),
      ("events_waiting", Double(figures.waiting.load(ordering: .relaxed))),
      ("events_dead_letters", Double(figures.letters.load(ordering: .relaxed))),
      ("events_triggers", Double(tap.triggers.triggers.count)),
    ]
  }

  /// Counts for the metrics what waits.
  ///
  /// Blocks.
  package func countForMetrics() throws {
    let counts = try counts()
    figures.waiting.store(counts.waiting, ordering: .relaxed)
    figures.letters.store(counts.dead, ordering: .relaxed)
  }
}

/// The dead letters that an administrator names.
package struct DeadLetterSelection: Sendable, Hashable {
  /// The project's id.
  package var project: String
  /// The function's or subscription's name; nil is every trigger.
  package var trigger: String?
  /// The event's id; nil is every event.
  package var id: String?

  /// Dead letters of a project.
  package init(project: String, trigger: String? = nil, id: String? = nil) {
    self.project = project
    self.trigger = trigger
    self.id = id
  }
}
