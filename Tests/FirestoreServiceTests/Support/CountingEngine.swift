import KeyValueStore
import Synchronization

/// An engine in memory that counts the values asked for outside of groups.
final class CountingEngine: KeyValueEngine {
  private let base = MemoryEngine()
  private let gets = Mutex(0)
  private let alarm = Mutex<(gets: Int, ring: @Sendable () -> Void)?>(nil)

  /// The number of values asked for since the last call.
  func takeGets() -> Int {
    gets.withLock { gets in
      defer { gets = 0 }
      return gets
    }
  }

  /// Calls once so many values more have been asked for, on the thread that asks.
  func ring(afterGets count: Int, _ ring: @escaping @Sendable () -> Void) {
    alarm.withLock { $0 = (count, ring) }
  }

  fileprivate func note() {
    gets.withLock { $0 += 1 }
    let due = alarm.withLock { alarm -> (@Sendable () -> Void)? in
      guard let (gets, ring) = alarm else { return nil }
      alarm = gets > 1 ? (gets - 1, ring) : nil
      return gets > 1 ? nil : ring
    }
    due?()
  }

  func read<R>(_ body: (any KeyValueSnapshot) throws -> R) throws -> R {
    try base.read { try body(CountingSnapshot(base: $0, engine: self)) }
  }

  func readInMemory<R>(
    steps: Int,
    _ body: (any KeyValueSnapshot) throws -> R
  ) throws -> R? {
    try base.readInMemory(steps: steps) { try body(CountingSnapshot(base: $0, engine: self)) }
  }

  func submit(_ write: QueuedWrite) { base.submit(write) }

  var isWritingThread: Bool { base.isWritingThread }

  func get(_ key: [UInt8], cachedOnly: Bool) throws -> PointRead {
    note()
    return try base.get(key, cachedOnly: cachedOnly)
  }

  func statistics() -> [String: Double] { base.statistics() }
  func close() throws { try base.close() }
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
    engine.note()
    return try base.get(key)
  }

  func getCached(_ key: [UInt8]) throws -> PointRead {
    engine.note()
    return try base.getCached(key)
  }

  func cursor(over range: KeyRange, reversed: Bool) throws -> any KeyValueCursor {
    try base.cursor(over: range, reversed: reversed)
  }

  func readTime() throws -> Int64 { try base.readTime() }
  func cachedReadTime() throws -> Int64? { try base.cachedReadTime() }
}
