import CRocksDB
import KeyValueStore

/// A group: a batch of writes that the library writes whole.
///
/// Cursors keep their group alive. While the batch is plain, a cursor walks only the database, as
/// long as the batch has written no key of its range. A write into the range, and the batch's index
/// when it gets one, make it start a new iterator. Cursors that are on a key step aside before
/// writes that concern them.
final class RocksDBGroup: SharedGroup, CursorOwner {
  private var batch = GroupBatch()
  private let lease: HandleLease
  private let time: EngineTime
  private var cursors: [Unmanaged<RocksDBCursor>] = []

  init(on lease: consuming HandleLease, time: EngineTime) {
    self.lease = lease
    self.time = time
  }

  private var handle: RocksDBHandle { lease.handle }

  /// Puts and deletes so far.
  var count: Int { batch.count }

  var byteCount: Int { batch.byteCount }

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

  /// Writes the engine's own key that only shows that writes become durable.
  func putProbe() { batch.put(TimeRecord.probeKey, TimeRecord.probe(time.now())) }

  func allocateVersion() throws -> Int64 {
    time.allocateVersion()
  }

  func get(_ key: [UInt8]) throws -> [UInt8]? {
    switch batch.written(key) {
    case .nothing: try handle.get(key)
    case .value(let value): value
    case .deletion: nil
    case .unknown: try handle.get(key, through: batch.indexed())
    }
  }

  func cursor(over range: KeyRange, reversed: Bool) throws -> any KeyValueCursor {
    RocksDBCursor(over: range, reversed: reversed, owner: self)
  }

  func put(_ key: [UInt8], _ value: [UInt8]) throws {
    try KeyValueError.checkWrite(key, value)
    moveCursorsAside(for: key)
    batch.put(key, value)
  }

  func delete(_ key: [UInt8]) throws {
    try KeyValueError.checkKey(key)
    moveCursorsAside(for: key)
    batch.delete(key)
  }

  var savepointCount: Int { batch.savepointCount }
  var savepointFloor = 0

  func setSavepoint() throws { batch.setSavepoint() }

  func rollbackToSavepoint() throws {
    try checkSavepoint()
    // The batch's index, which iterators point into, is rebuilt.
    renewIterators()
    try batch.rollBackToSavepoint()
  }

  func releaseSavepoint() throws {
    try checkSavepoint()
    try batch.releaseSavepoint()
  }

  func makeReadOptions() -> OpaquePointer {
    RocksDBHandle.readOptions()
  }

  func makeIterator(_ options: OpaquePointer, over range: KeyRange) -> OpaquePointer {
    if batch.isPlain {
      guard batch.overlaps(range) else { return rocksdb_create_iterator(handle.database, options) }
      // From here on iterators see later writes by themselves, which those so far do not.
      renewIterators()
    }
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

  private func checkSavepoint() throws {
    guard savepointCount > savepointFloor else { throw KeyValueError.noSavepoint }
  }

  private func moveCursorsAside(for key: [UInt8]) {
    for cursor in cursors {
      let cursor = cursor.takeUnretainedValue()
      if batch.isPlain {
        if cursor.range.contains(key) { cursor.ownerWillWrite(discardingIterator: true) }
      } else {
        cursor.ownerWillWrite(discardingIterator: false)
      }
    }
  }

  private func renewIterators() {
    for cursor in cursors { cursor.takeUnretainedValue().ownerWillWrite(discardingIterator: true) }
  }
}
