import KeyValueStore
import Synchronization

/// The memory of the store's upkeep between its steps.
struct UpkeepState {
  /// The position at which the look for old batch numbers and purchases continues; nil starts again
  /// when it is time.
  var markPosition: [UInt8]?
  var markTime: Int64 = 0
  /// The room that the disk has left.
  var space = SpaceLevel.room
  /// The time of the last report about free space.
  var toldSpace: Int64 = 0
  /// When a day was dropped because it has; nil while none was, or some of one is still to go.
  var droppedTime: Int64?
  /// The project whose turn it is.
  var turn = 0
}

extension EventAnalytics {
  private static let markPause: Int64 = 3_600_000_000
  private static let markStep = 4_096

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
}
