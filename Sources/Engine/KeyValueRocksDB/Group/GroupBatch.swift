import CRocksDB
import KeyValueStore

/// The writes of a group as the library takes them.
///
/// A *plain* batch only collects, which is enough for most groups. It knows its own writes to a
/// key, takes savepoints and rolls back, and passes its writes on in the order of their keys, so
/// that the library finds the position of each near the one before. The first cursor over keys that
/// the batch has written turns it into an *indexed* one, which can be walked together with the
/// database, and costs a sorted index of its keys.
///
/// The library cannot drop a savepoint and keep what follows. So the released savepoints of an indexed
/// batch stay on its stack, marked, and a rollback goes through them down to the last one still wanted.
struct GroupBatch: ~Copyable {
  /// A write whose key and value lie one behind the other in `bytes`.
  private struct Entry {
    let start: Int
    let keyCount: Int
    /// Nil deletes the key.
    let valueCount: Int?

    var end: Int { start + keyCount + (valueCount ?? 0) }
  }

  /// The state of the batch when the savepoint was set.
  private struct Savepoint {
    let count: Int
    let byteCount: Int
    var isReleased = false
  }

  /// The last write to a key, as far as the batch knows.
  enum Written {
    case nothing
    case value([UInt8])
    case deletion
    /// Only the index of an indexed batch knows.
    case unknown
  }

  /// Writes of a plain batch.
  private var entries: [Entry] = []
  private var bytes: [UInt8] = []
  /// The last listed write of a plain batch with a key's hash, by that hash.
  ///
  /// Most groups write much and read nothing that they may have written: a read lists the writes before it.
  private var latest: [UInt64: Int] = [:]
  /// So many of the entries, the first ones, are listed in `latest`.
  private var listed = 0
  /// Nil while the batch is plain.
  private var index: OpaquePointer?
  private var savepoints: [Savepoint] = []
  /// Puts and deletes so far.
  private(set) var count = 0
  /// Bytes of their keys and values.
  private(set) var byteCount = 0

  private static let reservedBytes = 16 << 10
  private static let reservedEntries = 192

  init() {
    bytes.reserveCapacity(Self.reservedBytes)
    entries.reserveCapacity(Self.reservedEntries)
  }

  deinit { index.map(rocksdb_writebatch_wi_destroy) }

  /// True if the batch has no index of its keys.
  var isPlain: Bool { index == nil }

  mutating func put(_ key: [UInt8], _ value: [UInt8]) {
    count += 1
    byteCount += key.count + value.count
    guard let index else { return collect(key, value) }
    key.withChars { key, keyCount in
      value.withChars { value, valueCount in
        rocksdb_writebatch_wi_put(index, key, keyCount, value, valueCount)
      }
    }
  }

  mutating func delete(_ key: [UInt8]) {
    count += 1
    byteCount += key.count
    guard let index else { return collect(key, nil) }
    key.withChars { key, keyCount in rocksdb_writebatch_wi_delete(index, key, keyCount) }
  }

  /// Returns the batch's last write to a key.
  mutating func written(_ key: [UInt8]) -> Written {
    guard isPlain else { return count > 0 ? .unknown : .nothing }
    listEntries()
    guard let last = latest[KeyHash.of(key)] else { return .nothing }
    return bytes.withUnsafeBytes { bytes in
      // Nearly always the first one; others only where keys share a hash.
      for entry in entries[...last].reversed()
      where KeyOrder.compare(Self.key(of: entry, in: bytes), key) == 0 {
        guard let count = entry.valueCount else { return .deletion }
        let start = entry.start + entry.keyCount
        return .value([UInt8](bytes[start..<start + count]))
      }
      return .nothing
    }
  }

  /// Returns true if a plain batch has written a key of the range.
  func overlaps(_ range: KeyRange) -> Bool {
    bytes.withUnsafeBytes { bytes in
      entries.contains { range.contains(Self.key(of: $0, in: bytes)) }
    }
  }

  /// The batch in a form that can be walked.
  mutating func indexed() -> OpaquePointer {
    if let index { return index }
    let index: OpaquePointer = rocksdb_writebatch_wi_create(Self.reservedBytes, 1)
    var handed = 0
    for savepoint in savepoints {
      hand(entries[handed..<savepoint.count], to: index)
      rocksdb_writebatch_wi_set_save_point(index)
      handed = savepoint.count
    }
    hand(entries[handed...], to: index)
    self.index = index
    (entries, bytes, latest) = ([], [], [:])
    return index
  }

  /// Writes the batch and returns when its bytes are on the disk.
  func write(to handle: RocksDBHandle) throws(KeyValueError) {
    if let index { return try handle.write(indexed: index) }
    let batch = sorted()
    defer { rocksdb_writebatch_destroy(batch) }
    try handle.write(batch)
  }
}

// Savepoints.
extension GroupBatch {
  /// Those that were neither rolled back nor released.
  var savepointCount: Int { savepoints.count { !$0.isReleased } }

  mutating func setSavepoint() {
    if let index { rocksdb_writebatch_wi_set_save_point(index) }
    savepoints.append(Savepoint(count: count, byteCount: byteCount))
  }

  mutating func rollBackToSavepoint() throws {
    while let savepoint = savepoints.popLast() {
      try undoWrites(since: savepoint)
      if !savepoint.isReleased { return }
    }
    throw KeyValueError.noSavepoint
  }

  mutating func releaseSavepoint() throws {
    guard let last = savepoints.lastIndex(where: { !$0.isReleased }) else {
      throw KeyValueError.noSavepoint
    }
    if isPlain {
      savepoints.remove(at: last)
    } else {
      savepoints[last].isReleased = true
      // With none left to roll back to, entries on the library's stack do no harm.
      if savepointCount == 0 { savepoints.removeAll() }
    }
  }

  private mutating func undoWrites(since savepoint: Savepoint) throws {
    if let index {
      try rocksCall { rocksdb_writebatch_wi_rollback_to_save_point(index, $0) }
    } else if savepoint.count < entries.count {
      entries.removeLast(entries.count - savepoint.count)
      bytes.removeLast(bytes.count - (entries.last?.end ?? 0))
      if listed > entries.count {
        latest.removeAll(keepingCapacity: true)
        listed = 0
      }
    }
    (count, byteCount) = (savepoint.count, savepoint.byteCount)
  }
}

// A plain batch's writes.
extension GroupBatch {
  private mutating func collect(_ key: [UInt8], _ value: [UInt8]?) {
    entries.append(
      Entry(start: bytes.count, keyCount: key.count, valueCount: value.map { $0.count })
    )
    bytes += key
    if let value { bytes += value }
  }

  private mutating func listEntries() {
    guard listed < entries.count else { return }
    bytes.withUnsafeBytes { bytes in
      for number in listed..<entries.count {
        latest[KeyHash.of(Self.key(of: entries[number], in: bytes))] = number
      }
    }
    listed = entries.count
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
        sorted[...],
        in: bytes,
        to: batch,
        put: rocksdb_writebatch_put,
        delete: rocksdb_writebatch_delete
      )
    }
    return batch
  }

  private func hand(_ entries: ArraySlice<Entry>, to index: OpaquePointer) {
    bytes.withUnsafeBytes {
      Self.hand(
        entries,
        in: $0,
        to: index,
        put: rocksdb_writebatch_wi_put,
        delete: rocksdb_writebatch_wi_delete
      )
    }
  }

  private static func key(
    of entry: Entry,
    in bytes: UnsafeRawBufferPointer
  ) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: bytes[entry.start..<entry.start + entry.keyCount])
  }

  /// Calls the library for each write, in the order of the entries.
  private static func hand(
    _ entries: ArraySlice<Entry>,
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
