import FirestoreModel
import KeyValueStore
import Synchronization

/// What the upkeep of the store remembers between its steps.
struct UpkeepState {
  /// Where the look for old batch numbers and purchases goes on; nil begins anew when it is time.
  var markPosition: [UInt8]?
  var markTime: Int64 = 0
  /// Whether the disk has less left than is to be left.
  var isShort = false
  /// When a day was dropped because it has; nil while none was, or some of one is still to go.
  var droppedTime: Int64?
  /// The project whose turn it is.
  var turn = 0
}

extension EventAnalytics {
  private static let markPause: Int64 = 3_600_000_000
  private static let markStep = 4_096

  /// Whether batches are refused because the disk is nearly full.
  var isShortOfSpace: Bool { upkeep.withLock { $0.isShort } }

  /// For how long a purchase is known, in microseconds.
  private static let purchaseWindow: Int64 = 31 * 86_400 * 1_000_000

  /// Forgets numbers of batches and purchases that are older than repeats are looked for, a few at a time; false where
  /// there is nothing to do now.
  func forgetOldMarks() throws -> Bool {
    let now = clock.now()
    let start = upkeep.withLock { upkeep -> [UInt8]? in
      if let position = upkeep.markPosition { return position }
      return now - upkeep.markTime >= Self.markPause ? [EventKey.Kind.batch.rawValue] : nil
    }
    guard let start else { return false }
    var keys: [[UInt8]] = []
    var last: [UInt8]?
    try engine.read { reader in
      let range = KeyRange(
        lower: start,
        upper: KeyRange.successor(ofPrefix: [EventKey.Kind.purchase.rawValue])
      )
      let cursor = try reader.cursor(over: range, reversed: false)
      var seen = 0
      while seen < Self.markStep, try cursor.next() {
        seen += 1
        let key = Array(cursor.key)
        let isBatch = key.first == EventKey.Kind.batch.rawValue
        let window = isBatch ? Self.repeatWindow : Self.purchaseWindow
        if Self.time(Array(cursor.value)) <= now - window { keys.append(key) }
        last = seen == Self.markStep ? key : nil
      }
    }
    if !keys.isEmpty {
      try engine.write(.background) { group in for key in keys { try group.delete(key) } }
    }
    upkeep.withLock { upkeep in
      upkeep.markPosition = last
      if last == nil { upkeep.markTime = now }
    }
    return last != nil
  }

  /// Looks whether the disk keeps its reserve.
  ///
  /// Where it does not batches are refused until there is room again, and the oldest events of all projects go: one day at a
  /// time, since the disk has its room back only some time after they went.
  func keepReserve() throws -> Bool {
    guard let available = try configuration.availableBytes?() else { return false }
    let (isShort, now) = (available < configuration.reserveBytes, clock.now())
    let mayDrop = upkeep.withLock { upkeep in
      upkeep.isShort = isShort
      guard let time = upkeep.droppedTime else { return isShort }
      return isShort && now - time >= Self.dropPause
    }
    guard mayDrop else { return false }
    upkeep.withLock { $0.droppedTime = nil }
    return try dropOldestDay()
  }

  /// Between two days that are dropped for want of room.
  static let dropPause: Int64 = 10 * 60_000_000

  /// Drops some of the oldest day of events that there is, but for today's; false where there is none.
  private func dropOldestDay() throws -> Bool {
    var oldest: (log: ProjectLog, day: EventDay)?
    for log in logs {
      guard let day = try firstDay(of: log), day < today(of: log.name) else { continue }
      if oldest.map({ day < $0.day }) ?? true { oldest = (log, day) }
    }
    guard let (log, day) = oldest else { return false }
    let end = day.advanced(by: 1)
    guard try dropEvents(of: log, before: end) else { return false }
    if try firstDay(of: log).map({ $0 >= end }) ?? true {
      upkeep.withLock { $0.droppedTime = clock.now() }
      let first = EventKey.numbered(.timeline, log.number)
      try configuration.freeSpace?(
        KeyRange(lower: first, upper: EventKey.numbered(.timeline, log.number, end.key))
      )
    }
    return true
  }

  private func firstDay(of log: ProjectLog) throws -> EventDay? {
    try engine.read { reader in
      let range = KeyRange(prefix: EventKey.numbered(.timeline, log.number))
      let cursor = try reader.cursor(over: range, reversed: false)
      guard try cursor.next() else { return nil }
      return EventDay(key: try EventKey.requiredNumber(cursor.key, at: 5))
    }
  }
}
