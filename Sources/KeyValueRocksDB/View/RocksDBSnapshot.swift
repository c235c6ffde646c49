import CRocksDB
import KeyValueStore

/// A view: a snapshot of the library, with the floor that was noted before it was taken.
///
/// A cursor keeps its view alive, so the snapshot is released after the last of them.
final class RocksDBSnapshot: KeyValueSnapshot, CursorOwner {
  private let time: EngineTime
  private let handle: RocksDBHandle
  private let floor: Int64
  private let snapshot: OpaquePointer?
  private let options: OpaquePointer
  private var decided: Int64?

  init(of handle: RocksDBHandle, time: EngineTime) {
    self.time = time
    self.handle = handle
    floor = time.floor()
    snapshot = rocksdb_create_snapshot(handle.database)
    options = RocksDBHandle.readOptions(at: snapshot)
  }

  deinit {
    rocksdb_readoptions_destroy(options)
    rocksdb_release_snapshot(handle.database, snapshot)
  }

  func get(_ key: [UInt8]) throws -> [UInt8]? {
    try handle.get(key, options: options)
  }

  func getCached(_ key: [UInt8]) throws -> PointRead {
    let options = RocksDBHandle.readOptions(at: snapshot, cachedOnly: true)
    defer { rocksdb_readoptions_destroy(options) }
    return try handle.getCached(key, options: options)
  }

  func cursor(over range: KeyRange, reversed: Bool) throws -> any KeyValueCursor {
    RocksDBCursor(over: range, reversed: reversed, owner: self)
  }

  func readTime() throws -> Int64 {
    if let decided { return decided }
    let held = try TimeRecord.version(inGroup: get(TimeRecord.groupKey))
    let answer = try time.readTime(floor: floor, held: held)
    decided = answer
    return answer
  }

  func cachedReadTime() throws -> Int64? {
    if let decided { return decided }
    let record: [UInt8]?
    switch try getCached(TimeRecord.groupKey) {
    case .found(let bytes): record = bytes
    case .missing: record = nil
    case .incomplete: return nil
    }
    decided = try time.readTimeInMemory(
      floor: floor,
      held: TimeRecord.version(inGroup: record)
    )
    return decided
  }

  func makeReadOptions() -> OpaquePointer {
    RocksDBHandle.readOptions(at: snapshot)
  }

  func makeIterator(_ options: OpaquePointer) -> OpaquePointer {
    rocksdb_create_iterator(handle.database, options)
  }

  func cursorOpened(_ cursor: RocksDBCursor) {}
  func cursorClosed(_ cursor: RocksDBCursor) {}
}
