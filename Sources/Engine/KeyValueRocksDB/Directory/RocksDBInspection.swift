import CRocksDB
import KeyValueStore

/// A look at single records of a data directory, without a lock and without writing anything.
///
/// A server may have the directory open. The look shows the state at one moment after it began.
package struct RocksDBInspection {
  private let handle: RocksDBHandle

  /// Opens a directory that has been used before.
  ///
  /// - Throws: `newerFormat` where a later program has written the directory, `foreign` where it is not a data directory.
  package init(directory: String) throws {
    try DataDirectory.checkFormat(of: directory)
    // A server that compacts tables at the same time may remove one that the opening has just
    // found.
    var attempts = 3
    while true {
      do {
        handle = try RocksDBHandle(
          directory: directory,
          configuration: RocksDBConfiguration(),
          isReadOnly: true
        )
        return
      } catch {
        attempts -= 1
        if attempts == 0 { throw error }
      }
    }
  }

  /// Reads a record; blocks.
  package func get(_ key: [UInt8]) throws -> [UInt8]? { try handle.get(key) }

  /// The sequence number of the last write.
  package var sequence: UInt64 { handle.latestSequence }

  /// The version of the last group that took one; 0 where none did.
  package var lastVersion: Int64 {
    get throws { try TimeRecord.version(inGroup: handle.get(TimeRecord.groupKey)) }
  }

  /// Calls the body with each key of a range and its value, in their order; both are lent.
  package func forEach(
    in range: KeyRange,
    _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) throws -> Void
  ) throws {
    let options = RocksDBHandle.readOptions()
    defer { rocksdb_readoptions_destroy(options) }
    let iterator: OpaquePointer = rocksdb_create_iterator(handle.database, options)
    defer { rocksdb_iter_destroy(iterator) }
    range.lower.withChars { rocksdb_iter_seek(iterator, $0, $1) }
    while rocksdb_iter_valid(iterator) != 0 {
      var (keyCount, valueCount) = (0, 0)
      let key = UnsafeRawBufferPointer(
        start: rocksdb_iter_key(iterator, &keyCount),
        count: keyCount
      )
      guard range.contains(key) else { return }
      let value = rocksdb_iter_value(iterator, &valueCount)
      try body(key, UnsafeRawBufferPointer(start: value, count: valueCount))
      rocksdb_iter_next(iterator)
    }
    try rocksCall { rocksdb_iter_get_error(iterator, $0) }
  }
}
