import CRocksDB
import KeyValueStore
import Synchronization

/// An open database of the library with the options that every call shares.
///
/// The pointers never change after `init`, and the library's own calls on them are thread-safe,
/// except for `close`, which must be the last one: hence the unchecked conformance.
final class RocksDBHandle: @unchecked Sendable {
  let database: OpaquePointer
  private let isClosed = Atomic(false)
  private let durable: OpaquePointer
  private let newest: OpaquePointer
  private let newestCached: OpaquePointer

  private static let cacheTier: Int32 = 1

  /// - Parameter isReadOnly: True if nothing at all is written; the log's content is in memory
  ///   then.
  init(
    directory: String,
    configuration: RocksDBConfiguration,
    isReadOnly: Bool = false
  ) throws {
    let options = try RocksDBOptions(configuration)
    let opened = try rocksCall {
      isReadOnly
        ? rocksdb_open_for_read_only(options.database, directory, 0, $0)
        : rocksdb_open(options.database, directory, $0)
    }
    guard let opened else {
      throw KeyValueError(.inputOutput, "RocksDB gave neither a database nor an error")
    }
    database = opened
    durable = rocksdb_writeoptions_create()
    rocksdb_writeoptions_set_sync(durable, 1)
    newest = Self.readOptions()
    newestCached = Self.readOptions(cachedOnly: true)
  }

  deinit {
    close()
    rocksdb_writeoptions_destroy(durable)
    rocksdb_readoptions_destroy(newest)
    rocksdb_readoptions_destroy(newestCached)
  }

  /// The sequence number of the last write that is visible.
  var latestSequence: UInt64 { rocksdb_get_latest_sequence_number(database) }

  /// Reads a value without a copy inside the library.
  func get(_ key: [UInt8], options: OpaquePointer? = nil) throws -> [UInt8]? {
    RocksDBOptions.countNothing()
    let pinned = try key.withChars { chars, count in
      try rocksCall { rocksdb_get_pinned(database, options ?? newest, chars, count, $0) }
    }
    return pinned.map(Self.copy)
  }

  /// Reads a value if that touches no disk.
  ///
  /// The default options read the newest value. If the reader of a table is not open, the library
  /// reports that the key may exist, which its C interface shows as success with an empty value. As
  /// no value is empty, an empty one means unknown.
  func getCached(_ key: [UInt8], options: OpaquePointer? = nil) throws -> PointRead {
    RocksDBOptions.countNothing()
    var message: UnsafeMutablePointer<CChar>?
    let pinned = key.withChars { chars, count in
      rocksdb_get_pinned(database, options ?? newestCached, chars, count, &message)
    }
    if let message {
      defer { rocksdb_free(message) }
      let text = String(cString: message)
      guard text.hasPrefix("Result incomplete") else { throw KeyValueError(rocksMessage: text) }
      return .incomplete
    }
    guard let pinned else { return .missing }
    let value = Self.copy(pinned)
    return value.isEmpty ? .incomplete : .found(value)
  }

  /// Options that read as of a snapshot of the library, or the newest state; the caller destroys them.
  ///
  /// No range is ever deleted as one. This must be set. Otherwise an iterator of librocksdb 7.8.3
  /// that reaches an unreadable table, damaged or not in memory, drops the error and continues with
  /// the other tables.
  static func readOptions(
    at snapshot: OpaquePointer? = nil,
    cachedOnly: Bool = false
  ) -> OpaquePointer {
    let options: OpaquePointer = rocksdb_readoptions_create()
    rocksdb_readoptions_set_ignore_range_deletions(options, 1)
    if let snapshot {
      rocksdb_readoptions_set_snapshot(options, snapshot)
    }
    if cachedOnly {
      rocksdb_readoptions_set_read_tier(options, cacheTier)
    }
    return options
  }

  /// Writes a batch and returns when its bytes are on the disk.
  func write(_ batch: OpaquePointer) throws(KeyValueError) {
    RocksDBOptions.countNothing()
    try rocksCall { rocksdb_write(database, durable, batch, $0) }
  }

  /// The same for a batch with an index.
  func write(indexed batch: OpaquePointer) throws(KeyValueError) {
    try rocksCall { rocksdb_write_writebatch_wi(database, durable, batch, $0) }
  }

  /// Writes one key and returns when it is on the disk.
  func put(_ key: [UInt8], _ value: [UInt8]) throws(KeyValueError) {
    var message: UnsafeMutablePointer<CChar>?
    key.withChars { key, keyCount in
      value.withChars { value, valueCount in
        rocksdb_put(database, durable, key, keyCount, value, valueCount, &message)
      }
    }
    guard let message else { return }
    defer { rocksdb_free(message) }
    throw KeyValueError(rocksMessage: String(cString: message))
  }

  /// The value that a batch, or else the database, has for the key.
  func get(_ key: [UInt8], through batch: OpaquePointer) throws -> [UInt8]? {
    var count = 0
    let chars = try key.withChars { key, keyCount in
      try rocksCall {
        rocksdb_writebatch_wi_get_from_batch_and_db(
          batch,
          database,
          newest,
          key,
          keyCount,
          &count,
          $0
        )
      }
    }
    guard let chars else { return nil }
    defer { rocksdb_free(chars) }
    return Array(copying: chars, count: count)
  }

  /// Writes the memtables to their tables, so that the next start has no log to replay.
  func flush() throws {
    let options: OpaquePointer = rocksdb_flushoptions_create()
    defer { rocksdb_flushoptions_destroy(options) }
    rocksdb_flushoptions_set_wait(options, 1)
    try rocksCall { rocksdb_flush(database, options, $0) }
  }

  /// Ends the merging of tables for good, as for a close: a flush waits for it where it is behind, however long that takes.
  func endCompactions() throws(KeyValueError) { try set("disable_auto_compactions", to: "true") }

  /// Merges new tables by many, or by few again.
  ///
  /// Each of them reaches over all keys, so that a merge rewrites much of what was merged before. A get looks into each.
  func mergeNewTables(byMany: Bool) throws(KeyValueError) {
    let count = byMany ? RocksDBOptions.bulkTables : RocksDBOptions.mergedTables
    try set("level0_file_num_compaction_trigger", to: String(count))
  }

  /// Changes an option of the open database.
  private func set(_ name: String, to value: String) throws(KeyValueError) {
    try rocksCall { message in
      name.withCString { name in
        value.withCString { value in
          var names: [UnsafePointer<CChar>?] = [name]
          var values: [UnsafePointer<CChar>?] = [value]
          rocksdb_set_options(database, 1, &names, &values, message)
        }
      }
    }
  }

  /// Has the tables of a range merged in the background, when there is nothing more urgent.
  func suggestCompaction(of range: KeyRange) throws(KeyValueError) {
    try rocksCall { message in
      range.lower.withChars { lower, lowerCount in
        (range.upper ?? []).withChars { upper, upperCount in
          rocksdb_suggest_compact_range(database, lower, lowerCount, upper, upperCount, message)
        }
      }
    }
  }

  /// Hard links and copies the live files to a directory that does not exist yet.
  func checkpoint(to directory: String) throws {
    let checkpoint = try rocksCall { rocksdb_checkpoint_object_create(database, $0) }
    defer { rocksdb_checkpoint_object_destroy(checkpoint) }
    try rocksCall { rocksdb_checkpoint_create(checkpoint, directory, 0, $0) }
  }

  /// A counter or size that the library keeps.
  func property(_ name: String) -> UInt64? {
    var value: UInt64 = 0
    return rocksdb_property_int(database, name, &value) == 0 ? value : nil
  }

  /// Closes the database; once is enough, more does no harm.
  func close() {
    guard !isClosed.exchange(true, ordering: .sequentiallyConsistent) else { return }
    rocksdb_close(database)
  }

  private static func copy(_ pinned: OpaquePointer) -> [UInt8] {
    var count = 0
    let chars = rocksdb_pinnableslice_value(pinned, &count)
    defer { rocksdb_pinnableslice_destroy(pinned) }
    return Array(copying: chars, count: count)
  }
}
