import CRocksDB
import KeyValueStore

/// The writes of a group as the library takes them.
///
/// A *plain* batch only collects, which is all that most groups need, and hands its writes over in the
/// order of their keys: the library then finds the place of each near the one before. The first read of
/// something that the group may have written, the first cursor and the first savepoint turn it into an
/// *indexed* one, which can be read and walked together with the database, and costs a sorted index
/// of its keys.
struct GroupBatch: ~Copyable {
  /// A write whose key and value lie one behind the other in `bytes`.
  private struct Entry {
    let start: Int
    let keyCount: Int
    /// Nil deletes the key.
    let valueCount: Int?
  }

  /// Writes of a plain batch.
  private var entries: [Entry] = []
  private var bytes: [UInt8] = []
  /// Hashes of the keys of a plain batch.
  private var written: Set<UInt64> = []
  /// Nil while the batch is plain.
  private var index: OpaquePointer?
  /// Puts and deletes so far.
  private(set) var count = 0

  private static let reservedBytes = 16 << 10

  init() { bytes.reserveCapacity(Self.reservedBytes) }

  deinit { index.map(rocksdb_writebatch_wi_destroy) }

  mutating func put(_ key: [UInt8], _ value: [UInt8]) {
    count += 1
    guard let index else { return collect(key, value) }
    key.withChars { key, keyCount in
      value.withChars { value, valueCount in
        rocksdb_writebatch_wi_put(index, key, keyCount, value, valueCount)
      }
    }
  }

  mutating func delete(_ key: [UInt8]) {
    count += 1
    guard let index else { return collect(key, nil) }
    key.withChars { key, keyCount in rocksdb_writebatch_wi_delete(index, key, keyCount) }
  }

  /// Whether the batch may hold something for the key.
  func mayHold(_ key: [UInt8]) -> Bool {
    index != nil ? count > 0 : written.contains(KeyHash.of(key))
  }

  /// The batch in a form that can be read, walked and rolled back.
  mutating func indexed() -> OpaquePointer {
    if let index { return index }
    let index: OpaquePointer = rocksdb_writebatch_wi_create(Self.reservedBytes, 1)
    bytes.withUnsafeBytes {
      Self.hand(
        entries,
        in: $0,
        to: index,
        put: rocksdb_writebatch_wi_put,
        delete: rocksdb_writebatch_wi_delete
      )
    }
    self.index = index
    (entries, bytes, written) = ([], [], [])
    return index
  }

  /// Undoes what an indexed batch took since its last savepoint.
  mutating func rollBack() throws {
    let batch = indexed()
    try rocksCall { rocksdb_writebatch_wi_rollback_to_save_point(batch, $0) }
    count = Int(rocksdb_writebatch_wi_count(batch))
  }

  /// Writes the batch and returns when its bytes are on the disk.
  func write(to handle: RocksDBHandle) throws(KeyValueError) {
    if let index { return try handle.write(indexed: index) }
    let batch = sorted()
    defer { rocksdb_writebatch_destroy(batch) }
    try handle.write(batch)
  }

  private mutating func collect(_ key: [UInt8], _ value: [UInt8]?) {
    written.insert(KeyHash.of(key))
    entries.append(
      Entry(start: bytes.count, keyCount: key.count, valueCount: value.map { $0.count })
    )
    bytes += key
    if let value { bytes += value }
  }

  /// The library's batch of a plain one: by key, and of one key as it was written.
  private func sorted() -> OpaquePointer {
    let batch: OpaquePointer = rocksdb_writebatch_create()
    bytes.withUnsafeBytes { bytes in
      let sorted = entries.sorted { left, right in
        let order = KeyOrder.compare(Self.key(of: left, in: bytes), Self.key(of: right, in: bytes))
        return order < 0 || (order == 0 && left.start < right.start)
      }
      Self.hand(
        sorted,
        in: bytes,
        to: batch,
        put: rocksdb_writebatch_put,
        delete: rocksdb_writebatch_delete
      )
    }
    return batch
  }

  private static func key(
    of entry: Entry,
    in bytes: UnsafeRawBufferPointer
  ) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: bytes[entry.start..<entry.start + entry.keyCount])
  }

  /// Calls the library for each write, in the order of the entries.
  private static func hand(
    _ entries: [Entry],
    in bytes: UnsafeRawBufferPointer,
    to batch: OpaquePointer,
    put: (OpaquePointer?, UnsafePointer<CChar>?, Int, UnsafePointer<CChar>?, Int) -> Void,
    delete: (OpaquePointer?, UnsafePointer<CChar>?, Int) -> Void
  ) {
    let first = bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
    for entry in entries {
      let key = first.map { $0 + entry.start }
      if let valueCount = entry.valueCount {
        put(batch, key, entry.keyCount, key.map { $0 + entry.keyCount }, valueCount)
      } else {
        delete(batch, key, entry.keyCount)
      }
    }
  }
}
