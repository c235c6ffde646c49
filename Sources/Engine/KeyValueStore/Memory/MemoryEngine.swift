import BaseRuntime
import Synchronization

/// The content that a `MemoryEngine` leaves behind when it closes: the disk of tests that reopen.
package final class MemoryStorage: Sendable {
  struct Contents {
    var table = SortedTable()
    var timeline = Timeline(landed: 0, ceiling: 0)
    var heldVersion: Int64 = 0
  }

  let contents = Mutex(Contents())

  /// An empty storage, to be opened by one engine at a time.
  package init() {}
}

/// An engine that keeps everything in memory; nothing is durable beyond the `MemoryStorage`.
///
/// Calls that could touch a disk assert as on one that they run on no event loop. Any thread may call. Views share the table with the engine until a group changes it.
package final class MemoryEngine: KeyValueEngine {
  private let storage: MemoryStorage
  private let clock: MicrosecondClock
  private let queue: WriteQueue<MemoryGroups>
  private let isClosed = Atomic(false)

  /// Opens the storage, a new one by default.
  ///
  /// One engine at a time may have it open.
  package init(storage: MemoryStorage = MemoryStorage(), clock: MicrosecondClock = .system) {
    self.storage = storage
    self.clock = clock
    queue = WriteQueue(MemoryGroups(storage: storage, clock: clock))
    storage.contents.withLock { contents in
      contents.timeline = Timeline(
        landed: contents.heldVersion,
        ceiling: contents.timeline.ceiling
      )
    }
  }

  deinit { queue.close() }

  /// Runs the body on the table as it is now; asserts that the caller may block, although it does not.
  package func read<R>(_ body: (any KeyValueSnapshot) throws -> R) throws -> R {
    BlockingCheck.assertMayBlock()
    try checkOpen()
    return try body(MemorySnapshot(of: storage, clock: clock))
  }

  /// Runs the body on a view with a bound on its steps; nil if they are used up.
  package func readInMemory<R>(
    steps: Int,
    _ body: (any KeyValueSnapshot) throws -> R
  ) throws -> R? {
    try checkOpen()
    do {
      return try body(MemorySnapshot(of: storage, clock: clock, steps: steps))
    } catch is NotInMemory {
      return nil
    }
  }

  /// Queues the write; its completion may run on the calling thread if the engine is closed.
  package func submit(_ write: QueuedWrite) { queue.submit(write) }

  /// True in the body or completion of a write, where the caller must not wait for another write.
  package var isWritingThread: Bool { queue.isCurrent }

  /// A number that differs after each group of writes; nil while one lands.
  package var stateMark: Int? { queue.stateMark }

  /// The newest value; never `.incomplete`, since all keys are in memory.
  package func get(_ key: [UInt8], cachedOnly: Bool) throws -> PointRead {
    if !cachedOnly { BlockingCheck.assertMayBlock() }
    try checkOpen()
    return storage.contents.withLock { $0.table }.value(key).map(PointRead.found) ?? .missing
  }

  /// `kv_keys` alone: the number of keys.
  package func statistics() -> [String: Double] {
    ["kv_keys": Double(storage.contents.withLock { $0.table.count })]
  }

  /// Runs the queued writes, then makes later calls throw `closed`; the storage can be opened again.
  package func close() throws {
    queue.close()
    isClosed.store(true, ordering: .sequentiallyConsistent)
  }

  private func checkOpen() throws {
    guard !isClosed.load(ordering: .sequentiallyConsistent) else {
      throw KeyValueError(.closed, "the storage engine was closed")
    }
  }
}

/// A view: the table as it was, with what its read time depends on.
private final class MemorySnapshot: KeyValueSnapshot {
  private let storage: MemoryStorage
  private let clock: MicrosecondClock
  private let table: SortedTable
  private let floor: Int64
  private let held: Int64
  private var time: Int64?
  /// The number of reads that are still allowed.
  private var steps: Int

  init(of storage: MemoryStorage, clock: MicrosecondClock, steps: Int = .max) {
    self.storage = storage
    self.clock = clock
    self.steps = steps
    (table, floor, held) = storage.contents.withLock {
      ($0.table, $0.timeline.floor, $0.heldVersion)
    }
  }

  func get(_ key: [UInt8]) throws -> [UInt8]? {
    try step()
    return table.value(key)
  }

  func cursor(over range: KeyRange, reversed: Bool) throws -> any KeyValueCursor {
    MemoryCursor(over: range, reversed: reversed) { [self] in
      try step()
      return table
    }
  }

  private func step() throws {
    guard steps > 0 else { throw NotInMemory() }
    steps -= 1
  }

  func getCached(_ key: [UInt8]) throws -> PointRead {
    table.value(key).map(PointRead.found) ?? .missing
  }

  func cachedReadTime() throws -> Int64? {
    try readTime()
  }

  func readTime() throws -> Int64 {
    if let time { return time }
    let now = clock.now()
    let decided = storage.contents.withLock { contents in
      while true {
        switch contents.timeline.readTime(floor: floor, held: held, now: now) {
        case .time(let time): return time
        // Memory is as durable as this engine gets: the ceiling may rise on the spot.
        case .needsCeiling(let ceiling): contents.timeline.raiseCeiling(to: ceiling)
        }
      }
    }
    time = decided
    return decided
  }
}

/// Groups on one piece of memory.
private struct MemoryGroups: GroupWriter {
  let storage: MemoryStorage
  let clock: MicrosecondClock

  var takesLeaders: Bool { true }

  func beginGroup() -> MemoryGroup { MemoryGroup(on: storage, clock: clock) }
  func land(_ group: MemoryGroup) { group.land() }
  func abandon(_ group: MemoryGroup) { group.abandon() }
}

/// A group: a private copy of the table that replaces the engine's when it lands.
private final class MemoryGroup: SharedGroup {
  private let storage: MemoryStorage
  private let clock: MicrosecondClock
  private var table: SortedTable
  private var savepoints: [(table: SortedTable, byteCount: Int)] = []
  private(set) var byteCount = 0

  init(on storage: MemoryStorage, clock: MicrosecondClock) {
    self.storage = storage
    self.clock = clock
    table = storage.contents.withLock { $0.table }
  }

  func land() {
    storage.contents.withLock { contents in
      contents.table = table
      contents.heldVersion = contents.timeline.groupRecord?.version ?? contents.heldVersion
      contents.timeline.groupLanded(ceiling: nil)
    }
  }

  func abandon() {
    storage.contents.withLock { $0.timeline.groupAbandoned() }
  }

  func allocateVersion() throws -> Int64 {
    let now = clock.now()
    return storage.contents.withLock { $0.timeline.allocateVersion(now: now) }
  }

  func get(_ key: [UInt8]) throws -> [UInt8]? {
    table.value(key)
  }

  func cursor(over range: KeyRange, reversed: Bool) throws -> any KeyValueCursor {
    MemoryCursor(over: range, reversed: reversed) { self.table }
  }

  func put(_ key: [UInt8], _ value: [UInt8]) throws {
    try KeyValueError.checkWrite(key, value)
    table.put(key, value)
    byteCount += key.count + value.count
  }

  func delete(_ key: [UInt8]) throws {
    try KeyValueError.checkKey(key)
    table.remove(key)
    byteCount += key.count
  }

  var savepointCount: Int { savepoints.count }
  var savepointFloor = 0

  func setSavepoint() throws {
    savepoints.append((table, byteCount))
  }

  func rollbackToSavepoint() throws {
    (table, byteCount) = try popSavepoint()
  }

  func releaseSavepoint() throws {
    _ = try popSavepoint()
  }

  private func popSavepoint() throws -> (table: SortedTable, byteCount: Int) {
    guard savepoints.count > savepointFloor else { throw KeyValueError.noSavepoint }
    return savepoints.removeLast()
  }
}
