import KeyValueStore

extension EventBus {
  private static let slice = 200

  /// Does one step of erasing: events of triggers that are gone, and dead letters whose time is over; true if there is more.
  ///
  /// Blocks.
  package func performMaintenance() throws -> Bool {
    let now = now
    let limit = now - configuration.deadLetterTime
    let hasWork = try engine.read { reader in
      let erased = try reader.cursor(over: EventKey(.erased).range, reversed: false)
      if try erased.next() { return true }
      let dead = try reader.cursor(over: EventKey(.deadSince).range, reversed: false)
      return try dead.next() && EventKey.number(in: dead.key) < limit
    }
    guard hasWork else { return try freeTaskNames() }
    return try engine.write(.background) { group in
      let isErasing = try eraseTrigger(in: group)
      let isExpiring = try expire(before: limit, in: group)
      return isErasing || isExpiring
    }
  }

  private func eraseTrigger(in group: any KeyValueGroup) throws -> Bool {
    let erased = try group.cursor(over: EventKey(.erased).range, reversed: false)
    guard try erased.next() else { return false }
    let number = try EventKey.number(in: erased.key)
    let marker = Array(erased.key)
    let book = EventBook(group)
    let pending = try sequences(of: EventKey(.pending).number(number).range, in: group)
    for sequence in pending { try book.end(number, sequence) }
    let dead = try sequences(of: EventKey(.dead).number(number).range, in: group)
    for sequence in dead { try book.discard(number, sequence) }
    if pending.isEmpty, dead.isEmpty {
      let tasks = try group.cursor(over: EventKey(.task).number(number).range, reversed: false)
      var names: [[UInt8]] = []
      while names.count < Self.slice, try tasks.next() { names.append(Array(tasks.key)) }
      for name in names { try group.delete(name) }
      if names.isEmpty {
        try group.delete(EventKey(.fired).number(number).bytes)
        try group.delete(marker)
      }
    }
    return true
  }

  private func sequences(
    of range: KeyRange,
    in group: any KeyValueGroup
  ) throws -> [EventSequence] {
    let cursor = try group.cursor(over: range, reversed: false)
    var found: [EventSequence] = []
    while found.count < Self.slice, try cursor.next() {
      found.append(try EventKey.sequence(atEndOf: cursor.key))
    }
    return found
  }

  private func expire(before limit: Int64, in group: any KeyValueGroup) throws -> Bool {
    let cursor = try group.cursor(over: EventKey(.deadSince).range, reversed: false)
    var old: [(Int64, EventSequence)] = []
    while old.count < Self.slice, try cursor.next() {
      guard try EventKey.number(in: cursor.key) < limit else { break }
      let trigger = try EventKey.number(in: cursor.key, at: 10)
      old.append((trigger, try EventKey.sequence(atEndOf: cursor.key)))
    }
    for (trigger, sequence) in old { try EventBook(group).discard(trigger, sequence) }
    return old.count == Self.slice
  }
}
