import KeyValueStore

/// The queues of events in one group of writes: every change of an event, its places and its dead letters is made here.
struct EventBook {
  let group: any KeyValueGroup

  init(_ group: any KeyValueGroup) { self.group = group }

  /// Writes an event into the queues of its triggers.
  ///
  /// - Parameters:
  ///   - order: The key whose events follow one another; nil for no order.
  ///   - due: The earliest time of the first attempt; 0 is at once.
  func add(
    _ event: StoredEvent,
    _ sequence: EventSequence,
    order: String?,
    due: Int64 = 0
  ) throws {
    try group.put(EventKey.event(sequence), event.encoded)
    var pending = PendingEvent()
    pending.order = order.map { PendingEvent.hash($0.utf8) } ?? 0
    pending.since = event.time
    pending.due = due
    pending.isShared = event.triggers.count > 1
    for trigger in event.triggers { try put(pending, trigger, sequence) }
  }

  private func put(
    _ pending: PendingEvent,
    _ trigger: Int64,
    _ sequence: EventSequence
  ) throws {
    try group.put(EventKey.pending(trigger, sequence), pending.encoded)
    if pending.order != 0 {
      try group.putMarker(EventKey.order(trigger, pending.order, sequence))
    } else if pending.due > 0 {
      try group.putMarker(EventKey.due(trigger, pending.due, sequence))
    }
  }

  func pending(_ trigger: Int64, _ sequence: EventSequence) throws -> PendingEvent? {
    try group.get(EventKey.pending(trigger, sequence)).map { try PendingEvent(decoding: $0) }
  }

  /// Takes an event out of a trigger's queue, without its event; nil where it is not there any more.
  private func take(_ trigger: Int64, _ sequence: EventSequence) throws -> PendingEvent? {
    guard let pending = try pending(trigger, sequence) else { return nil }
    try group.delete(EventKey.pending(trigger, sequence))
    if pending.order != 0 {
      try group.delete(EventKey.order(trigger, pending.order, sequence))
    } else if pending.due > 0 {
      try group.delete(EventKey.due(trigger, pending.due, sequence))
    }
    return pending
  }

  /// Ends an event of a trigger that was delivered or is discarded; false where it was gone.
  @discardableResult
  func end(_ trigger: Int64, _ sequence: EventSequence) throws -> Bool {
    guard let pending = try take(trigger, sequence) else { return false }
    try release(sequence, isShared: pending.isShared)
    return true
  }

  /// Notes a failed attempt after which the event waits; false where it was gone.
  @discardableResult
  func postpone(
    _ trigger: Int64,
    _ sequence: EventSequence,
    _ change: (inout PendingEvent) -> Void
  ) throws -> Bool {
    guard var pending = try take(trigger, sequence) else { return false }
    change(&pending)
    try put(pending, trigger, sequence)
    return true
  }

  /// Makes an event a dead letter; false where it was gone.
  @discardableResult
  func bury(
    _ trigger: Int64,
    _ sequence: EventSequence,
    at time: Int64,
    _ change: (inout PendingEvent) -> Void
  ) throws -> Bool {
    guard var pending = try take(trigger, sequence) else { return false }
    change(&pending)
    let letter = DeadLetter(died: time, pending: pending)
    try group.put(EventKey.dead(trigger, sequence), letter.encoded)
    try group.putMarker(EventKey.deadSince(time, trigger, sequence))
    return true
  }

  /// Returns a dead letter to its queue with no attempts made; false where there is none.
  func revive(_ trigger: Int64, _ sequence: EventSequence, at time: Int64) throws -> Bool {
    guard let letter = try takeDead(trigger, sequence) else { return false }
    var pending = letter.pending
    (pending.attempts, pending.due, pending.since) = (0, 0, time)
    try put(pending, trigger, sequence)
    return true
  }

  /// Removes a dead letter; false where there is none.
  @discardableResult
  func discard(_ trigger: Int64, _ sequence: EventSequence) throws -> Bool {
    guard let letter = try takeDead(trigger, sequence) else { return false }
    try release(sequence, isShared: letter.pending.isShared)
    return true
  }

  private func takeDead(_ trigger: Int64, _ sequence: EventSequence) throws -> DeadLetter? {
    let key = EventKey.dead(trigger, sequence)
    guard let letter = try group.get(key).map({ try DeadLetter(decoding: $0) }) else { return nil }
    try group.delete(key)
    try group.delete(EventKey.deadSince(letter.died, trigger, sequence))
    return letter
  }

  /// Deletes the event unless another trigger has it.
  private func release(_ sequence: EventSequence, isShared: Bool) throws {
    let key = EventKey.event(sequence)
    if isShared, let value = try group.get(key) {
      for trigger in try StoredEvent(decoding: value).triggers {
        if try group.get(EventKey.pending(trigger, sequence)) != nil { return }
        if try group.get(EventKey.dead(trigger, sequence)) != nil { return }
      }
    }
    try group.delete(key)
  }
}
