/// One event that a dispatcher knows of: its place and what orders it.
struct LaneItem: Sendable, Hashable {
  let sequence: EventSequence
  /// 0 for no order.
  let order: Int64
  /// The time before which it waits.
  let due: Int64
}

/// The state of one trigger's deliveries in memory: which events are in flight, which keys wait, how far the queue was read.
///
/// A state machine without clock or disk. Memory is bounded: keys in flight or waiting for a repetition are at most
/// `keysHeld`, and beyond them nothing is read.
struct TriggerLane: Sendable {
  private struct HeldKey: Sendable {
    var sequence: EventSequence
    /// The time of the repetition; nil in flight.
    var due: Int64?
    /// True if later events of the key were passed over.
    var hasMore = false
  }

  static let keysHeld = 1_000

  var trigger: Trigger
  private var held: [Int64: HeldKey] = [:]
  /// Events without order that are in flight.
  private var loose: Set<EventSequence> = []
  /// Read and not begun.
  private var buffer: [LaneItem] = []
  private(set) var position = EventSequence.zero
  /// True if the queue may have events behind the position.
  private(set) var hasUnread = true
  /// The time from which on the entries of due times are to be read; nil is never.
  private(set) var nextDue: Int64? = 0
  private(set) var pausedUntil: Int64 = 0
  private var tokens = 1.0
  private var refilled: Int64 = 0

  init(_ trigger: Trigger) { self.trigger = trigger }

  private var inFlight: Int { loose.count + held.values.count { $0.due == nil } }

  /// The number of deliveries that may begin now.
  mutating func room(now: Int64) -> Int {
    guard pausedUntil <= now else { return 0 }
    let free = max(0, trigger.stored.concurrency - inFlight)
    guard case .queue(let declared) = trigger.stored.cause else { return free }
    let elapsed = refilled == 0 ? 1 : max(0, Double(now - refilled) / 1_000_000)
    refilled = now
    let rate = max(0.001, declared.maxDispatchesPerSecond)
    tokens = min(max(1, rate), tokens + elapsed * rate)
    return min(free, Int(tokens))
  }

  /// New events may be behind the position.
  mutating func noteArrival() {
    hasUnread = true
    nextDue = 0
  }

  /// The queue is to be read from its beginning: something was put in behind the position.
  mutating func rewind() {
    position = .zero
    buffer = []
    noteArrival()
  }

  /// Stops until that time and then begins at the beginning of the queue.
  mutating func pause(until time: Int64) {
    pausedUntil = max(pausedUntil, time)
    rewind()
  }

  mutating func resume() {
    pausedUntil = 0
    noteArrival()
  }

  /// True if more of the queue is to be read before something else can begin.
  var wantsItems: Bool { buffer.isEmpty && hasUnread && held.count < Self.keysHeld }

  /// Takes up what was read behind the position.
  mutating func append(_ items: [LaneItem], isEnd: Bool) {
    buffer += items
    if let last = items.last { position = last.sequence }
    if isEnd { hasUnread = false }
  }

  /// Takes up to that many events that may begin now.
  mutating func takeReady(_ room: Int, now: Int64) -> [LaneItem] {
    var ready: [LaneItem] = []
    for (order, key) in held where ready.count < room {
      guard let due = key.due, due <= now else { continue }
      held[order]?.due = nil
      ready.append(LaneItem(sequence: key.sequence, order: order, due: 0))
    }
    var used = 0
    while ready.count < room, used < buffer.count, held.count < Self.keysHeld {
      let item = buffer[used]
      used += 1
      if item.order == 0 {
        // Those that wait for a time come by their entries of due times.
        if item.due == 0, loose.insert(item.sequence).inserted { ready.append(item) }
      } else if let key = held[item.order] {
        if key.sequence != item.sequence { held[item.order]?.hasMore = true }
      } else {
        let due = item.due > now ? item.due : nil
        held[item.order] = HeldKey(sequence: item.sequence, due: due)
        if due == nil { ready.append(item) }
      }
    }
    buffer.removeFirst(used)
    tokens -= Double(ready.count)
    return ready
  }

  /// Takes up events without order whose time has come, and the time of the next ones.
  mutating func takeDue(_ items: [LaneItem], next: Int64?) -> [LaneItem] {
    nextDue = next
    let fresh = items.filter { loose.insert($0.sequence).inserted }
    tokens -= Double(fresh.count)
    return fresh
  }

  /// The event is out of the queue; true if the next event of its key has to be looked up.
  mutating func ended(_ item: LaneItem) -> Bool {
    guard item.order != 0 else {
      loose.remove(item.sequence)
      return false
    }
    guard let key = held[item.order], key.sequence == item.sequence else { return false }
    guard key.hasMore else {
      held[item.order] = nil
      return false
    }
    // Events that are skipped after this may be newer than the look-up's view.
    held[item.order]?.hasMore = false
    return true
  }

  /// Takes the next event of a key after the end of its first one, nil if the look-up found none.
  ///
  /// True if another look-up is needed, because events of the key were skipped in the meantime.
  mutating func follow(_ order: Int64, with next: LaneItem?) -> Bool {
    if let next, next.sequence <= position {
      held[order] = HeldKey(sequence: next.sequence, due: max(1, next.due), hasMore: true)
      return false
    }
    guard held[order]?.hasMore == true else {
      held[order] = nil
      return false
    }
    held[order]?.hasMore = false
    return true
  }

  /// The event waits for a repetition.
  mutating func postponed(_ item: LaneItem, until due: Int64) {
    if item.order == 0 {
      loose.remove(item.sequence)
      nextDue = min(nextDue ?? due, due)
    } else if held[item.order]?.sequence == item.sequence {
      held[item.order]?.due = due
    }
  }

  /// The event stays where it is, without an attempt.
  mutating func abandoned(_ item: LaneItem, until time: Int64) {
    if item.order == 0 {
      loose.remove(item.sequence)
    } else if held[item.order]?.sequence == item.sequence {
      held[item.order] = nil
    }
    pause(until: time)
  }
}
