import CRocksDB
import KeyValueStore

/// The writes of a group as the library takes them.
///
/// A *plain* batch only collects, which is all that most groups need. The first read of something
/// that the group may have written, the first cursor and the first savepoint turn it into an
/// *indexed* one, which can be read and walked together with the database, and costs a sorted index
/// of its keys.
struct GroupBatch: ~Copyable {
  private enum Form {
    case plain
    case indexed
  }

  private var form = Form.plain
  private var batch: OpaquePointer
  /// Hashes of the keys of a plain batch.
  private var written: Set<UInt64> = []
  /// Puts and deletes so far.
  private(set) var count = 0

  private static let reservedBytes = 16 << 10

  init() {
    batch = rocksdb_writebatch_create()
  }

  deinit {
    switch form {
    case .plain: rocksdb_writebatch_destroy(batch)
    case .indexed: rocksdb_writebatch_wi_destroy(batch)
    }
  }

  mutating func put(_ key: [UInt8], _ value: [UInt8]) {
    count += 1
    let (form, batch) = (form, batch)
    if form == .plain { written.insert(KeyHash.of(key)) }
    key.withChars { key, keyCount in
      value.withChars { value, valueCount in
        switch form {
        case .plain: rocksdb_writebatch_put(batch, key, keyCount, value, valueCount)
        case .indexed: rocksdb_writebatch_wi_put(batch, key, keyCount, value, valueCount)
        }
      }
    }
  }

  mutating func delete(_ key: [UInt8]) {
    count += 1
    let (form, batch) = (form, batch)
    if form == .plain { written.insert(KeyHash.of(key)) }
    key.withChars { key, keyCount in
      switch form {
      case .plain: rocksdb_writebatch_delete(batch, key, keyCount)
      case .indexed: rocksdb_writebatch_wi_delete(batch, key, keyCount)
      }
    }
  }

  /// Whether the batch may hold something for the key.
  func mayHold(_ key: [UInt8]) -> Bool {
    form == .indexed ? count > 0 : written.contains(KeyHash.of(key))
  }

  /// The batch in a form that can be read, walked and rolled back.
  mutating func indexed() -> OpaquePointer {
    guard form == .plain else { return batch }
    let plain = batch
    let indexed: OpaquePointer = rocksdb_writebatch_wi_create(Self.reservedBytes, 1)
    rocksdb_writebatch_iterate(
      plain,
      UnsafeMutableRawPointer(indexed),
      { indexed, key, keyCount, value, valueCount in
        rocksdb_writebatch_wi_put(OpaquePointer(indexed), key, keyCount, value, valueCount)
      },
      { indexed, key, keyCount in
        rocksdb_writebatch_wi_delete(OpaquePointer(indexed), key, keyCount)
      }
    )
    rocksdb_writebatch_destroy(plain)
    batch = indexed
    form = .indexed
    written = []
    return indexed
  }

  /// Undoes what an indexed batch took since its last savepoint.
  mutating func rollBack() throws {
    let batch = indexed()
    try rocksCall { rocksdb_writebatch_wi_rollback_to_save_point(batch, $0) }
    count = Int(rocksdb_writebatch_wi_count(batch))
  }

  /// Writes the batch and returns when its bytes are on the disk.
  func write(to handle: RocksDBHandle) throws(KeyValueError) {
    switch form {
    case .plain: try handle.write(batch)
    case .indexed: try handle.write(indexed: batch)
    }
  }
}
