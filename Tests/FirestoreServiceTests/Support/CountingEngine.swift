import KeyValueStore
import Synchronization

/// An engine in memory that counts the values asked for, and the cursors opened, outside of groups.
final class CountingEngine: EngineWrapper {
  let base: any KeyValueEngine = MemoryEngine()
  private let gets = Tally()
  private let cursors = Tally()

  /// The number of values asked for since the last call.
  func takeGets() -> Int { gets.take() }

  /// The number of cursors opened since the last call.
  func takeCursors() -> Int { cursors.take() }

  /// Calls once so many values more have been asked for, on the thread that asks.
  func ring(afterGets count: Int, _ ring: @escaping @Sendable () -> Void) {
    gets.ring(after: count, ring)
  }

  /// Calls once so many cursors more have been opened, on the thread that opens the last one.
  func ring(afterCursors count: Int, _ ring: @escaping @Sendable () -> Void) {
    cursors.ring(after: count, ring)
  }

  fileprivate func noteGet() { gets.note() }
  fileprivate func noteCursor() { cursors.note() }

  func read<R>(_ body: (any KeyValueSnapshot) throws -> R) throws -> R {
    try base.read { try body(CountingSnapshot(base: $0, engine: self)) }
  }

  func readInMemory<R>(
    steps: Int,
    _ body: (any KeyValueSnapshot) throws -> R
  ) throws -> R? {
    try base.readInMemory(steps: steps) { try body(CountingSnapshot(base: $0, engine: self)) }
  }

  func get(_ key: [UInt8], cachedOnly: Bool) throws -> PointRead {
    noteGet()
    return try base.get(key, cachedOnly: cachedOnly)
  }
}

/// A view of the counting engine.
private final class CountingSnapshot: KeyValueSnapshot {
  private let base: any KeyValueSnapshot
  private let engine: CountingEngine

  init(base: any KeyValueSnapshot, engine: CountingEngine) {
    self.base = base
    self.engine = engine
  }

  func get(_ key: [UInt8]) throws -> [UInt8]? {
    engine.noteGet()
    return try base.get(key)
  }

  func getCached(_ key: [UInt8]) throws -> PointRead {
    engine.noteGet()
    return try base.getCached(key)
  }

  func cursor(over range: KeyRange, reversed: Bool) throws -> any KeyValueCursor {
    engine.noteCursor()
    return try base.cursor(over: range, reversed: reversed)
  }

  func readTime() throws -> Int64 { try base.readTime() }
  func cachedReadTime() throws -> Int64? { try base.cachedReadTime() }
}

/// Counts something, and calls when it has come to a number.
private final class Tally: Sendable {
  private let count = Mutex(0)
  private let alarm = Mutex<(left: Int, ring: @Sendable () -> Void)?>(nil)

  func take() -> Int {
    count.withLock { count in
      defer { count = 0 }
      return count
    }
  }

  func ring(after left: Int, _ ring: @escaping @Sendable () -> Void) {
    alarm.withLock { $0 = (left, ring) }
  }

  func note() {
    count.withLock { $0 += 1 }
    let due = alarm.withLock { alarm -> (@Sendable () -> Void)? in
      guard let (left, ring) = alarm else { return nil }
      alarm = left > 1 ? (left - 1, ring) : nil
      return left > 1 ? nil : ring
    }
    due?()
  }
}
