import CRocksDB
import KeyValueStore

/// A group: a batch of writes that the library writes whole.
///
/// The library cannot drop a savepoint and keep what follows, so released ones stay on its stack,
/// marked, and a rollback goes through them down to the last one that is still wanted. Cursors keep
/// their group alive; those that stand on a key step aside before each write.
final class RocksDBGroup: KeyValueGroup, CursorOwner {
  private enum Savepoint {
    case set
    case released
  }

  private var batch = GroupBatch()
  private let lease: HandleLease
  private let time: EngineTime
  private var savepoints: [Savepoint] = []
  private var cursors: [Unmanaged<RocksDBCursor>] = []

  init(on lease: consuming HandleLease, time: EngineTime) {
    self.lease = lease
    self.time = time
  }

  private var handle: RocksDBHandle { lease.handle }

  /// Puts and deletes so far.
  var count: Int { batch.count }

  var isEmpty: Bool { count == 0 }

  /// Writes the group and returns when its bytes are on the disk.
  func write(to handle: RocksDBHandle) throws(KeyValueError) { try batch.write(to: handle) }

  /// Adds what views and the next start need to know about the group; nil when it took no version.
  func recordTime() -> Int64? {
    guard let record = time.groupRecord() else { return nil }
    batch.put(
      TimeRecord.groupKey,
      TimeRecord.group(version: record.version, ceiling: record.ceiling)
    )
    return record.ceiling
  }

  func allocateVersion() throws -> Int64 {
    time.allocateVersion()
  }

  func get(_ key: [UInt8]) throws -> [UInt8]? {
    guard batch.mayHold(key) else { return try handle.get(key) }
    return try handle.get(key, through: batch.indexed())
  }

  func cursor(over range: KeyRange, reversed: Bool) throws -> any KeyValueCursor {
    RocksDBCursor(over: range, reversed: reversed, owner: self)
  }

  func put(_ key: [UInt8], _ value: [UInt8]) throws {
    try KeyValueError.checkWrite(key, value)
    moveCursorsAside(discardingIterators: false)
    batch.put(key, value)
  }

  func delete(_ key: [UInt8]) throws {
    try KeyValueError.checkKey(key)
    moveCursorsAside(discardingIterators: false)
    batch.delete(key)
  }

  func setSavepoint() throws {
    rocksdb_writebatch_wi_set_save_point(batch.indexed())
    savepoints.append(.set)
  }

  func rollbackToSavepoint() throws {
    guard savepoints.contains(.set) else { throw KeyValueError.noSavepoint }
    // The library rebuilds the batch's index, which iterators point into.
    moveCursorsAside(discardingIterators: true)
    while let savepoint = savepoints.popLast() {
      try batch.rollBack()
      if savepoint == .set { return }
    }
  }

  func releaseSavepoint() throws {
    guard let last = savepoints.lastIndex(of: .set) else { throw KeyValueError.noSavepoint }
    savepoints[last] = .released
    if !savepoints.contains(.set) {
      // Nothing can roll back any more; what is on the library's stack does no harm.
      savepoints.removeAll()
    }
  }

  func makeReadOptions() -> OpaquePointer {
    RocksDBHandle.readOptions()
  }

  func makeIterator(_ options: OpaquePointer) -> OpaquePointer {
    let base = rocksdb_create_iterator(handle.database, options)
    return rocksdb_writebatch_wi_create_iterator_with_base(batch.indexed(), base)
  }

  func cursorWillMove() throws {}

  func cursorOpened(_ cursor: RocksDBCursor) {
    cursors.append(Unmanaged.passUnretained(cursor))
  }

  func cursorClosed(_ cursor: RocksDBCursor) {
    let closed = Unmanaged.passUnretained(cursor).toOpaque()
    cursors.removeAll { $0.toOpaque() == closed }
  }

  private func moveCursorsAside(discardingIterators: Bool) {
    for cursor in cursors {
      cursor.takeUnretainedValue().ownerWillWrite(discardingIterator: discardingIterators)
    }
  }
}
