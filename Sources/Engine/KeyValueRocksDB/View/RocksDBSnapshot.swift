import CRocksDB
import KeyValueStore

/// A view: a snapshot of the library, with the floor that was noted before it was taken.
///
/// A cursor keeps its view alive, so the snapshot is released after the last of them. A view in
/// memory reads no block that is not in the cache, and counts its steps down.
final class RocksDBSnapshot: KeyValueSnapshot, CursorOwner {
  private let time: EngineTime
  private let lease: HandleLease
  private let opening: EngineTime.Opening
  private let snapshot: OpaquePointer?
  private let options: OpaquePointer
  /// The number of steps left in memory; nil if the disk may be read.
  private var stepsLeft: Int?
  private var decided: Int64?

  init(of lease: consuming HandleLease, time: EngineTime, stepsInMemory: Int? = nil) {
    let handle = lease.handle
    self.time = time
    self.lease = lease
    stepsLeft = stepsInMemory
    opening = time.opening()
    snapshot = rocksdb_create_snapshot(handle.database)
    options = RocksDBHandle.readOptions(at: snapshot, cachedOnly: stepsInMemory != nil)
  }

  private var handle: RocksDBHandle { lease.handle }

  deinit {
    rocksdb_readoptions_destroy(options)
    rocksdb_release_snapshot(handle.database, snapshot)
  }

  func get(_ key: [UInt8]) throws -> [UInt8]? {
    guard stepsLeft != nil else { return try handle.get(key, options: options) }
    try cursorWillMove()
    switch try handle.getCached(key, options: options) {
    case .found(let value): return value
    case .missing: return nil
    case .incomplete: throw NotInMemory()
    }
  }

  func getCached(_ key: [UInt8]) throws -> PointRead {
    if stepsLeft != nil { return try handle.getCached(key, options: options) }
    let options = RocksDBHandle.readOptions(at: snapshot, cachedOnly: true)
    defer { rocksdb_readoptions_destroy(options) }
    return try handle.getCached(key, options: options)
  }

  func cursor(over range: KeyRange, reversed: Bool) throws -> any KeyValueCursor {
    RocksDBCursor(over: range, reversed: reversed, owner: self)
  }

  func readTime() throws -> Int64 {
    if let decided { return decided }
    if stepsLeft != nil {
      guard let time = try cachedReadTime() else { throw NotInMemory() }
      return time
    }
    let held =
      try time.held(since: opening) ?? TimeRecord.version(inGroup: get(TimeRecord.groupKey))
    let answer = try time.readTime(floor: opening.floor, held: held)
    decided = answer
    return answer
  }

  func cachedReadTime() throws -> Int64? {
    if let decided { return decided }
    guard let held = try time.held(since: opening) ?? cachedHeldVersion() else { return nil }
    decided = time.readTimeInMemory(floor: opening.floor, held: held)
    return decided
  }

  private func cachedHeldVersion() throws -> Int64? {
    switch try getCached(TimeRecord.groupKey) {
    case .found(let record): try TimeRecord.version(inGroup: record)
    case .missing: 0
    case .incomplete: nil
    }
  }

  func makeReadOptions() -> OpaquePointer {
    RocksDBHandle.readOptions(at: snapshot, cachedOnly: stepsLeft != nil)
  }

  func makeIterator(_ options: OpaquePointer, over range: KeyRange) -> OpaquePointer {
    RocksDBOptions.countNothing()
    return rocksdb_create_iterator(handle.database, options)
  }

  func cursorWillMove() throws {
    guard let stepsLeft else { return }
    guard stepsLeft > 0 else { throw NotInMemory() }
    self.stepsLeft = stepsLeft - 1
  }

  func cursorOpened(_ cursor: RocksDBCursor) {}
  func cursorClosed(_ cursor: RocksDBCursor) {}
}
