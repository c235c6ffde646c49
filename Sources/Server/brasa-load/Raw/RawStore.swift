import CRocksDB
import KeyValueRocksDB

/// RocksDB by itself, with the options of the server's engine: one plain batch, one sync, nothing of ours
/// in between.
///
/// The pointers never change, and the library's calls on them are thread-safe: hence the unchecked
/// conformance.
final class RawStore: @unchecked Sendable {
  private let options: RocksDBOptions
  private let durable: OpaquePointer
  private let reading: OpaquePointer
  private let database: OpaquePointer

  /// The size of a server's cache by default if memory is not scarce; only reads and the number of
  /// open files depend on it.
  static let cacheBytes = 512 << 20

  /// Opens a database in a directory, made if it is missing.
  convenience init(directory: String, cacheBytes: Int = cacheBytes) throws {
    try self.init(cacheBytes: cacheBytes) { rocksdb_open($0, directory, &$1) }
  }

  /// Opens a database as it is, without writing to it; a server may have it open.
  convenience init(reading directory: String, cacheBytes: Int) throws {
    try self.init(cacheBytes: cacheBytes) { rocksdb_open_for_read_only($0, directory, 0, &$1) }
  }

  private init(
    cacheBytes: Int,
    _ open: (OpaquePointer, inout UnsafeMutablePointer<CChar>?) -> OpaquePointer?
  ) throws {
    var configuration = RocksDBConfiguration()
    configuration.blockCacheBytes = cacheBytes
    let options = try RocksDBOptions(configuration)
    var message: UnsafeMutablePointer<CChar>?
    guard let database = open(options.database, &message) else { throw Self.failure(message) }
    self.options = options
    self.database = database
    durable = rocksdb_writeoptions_create()
    rocksdb_writeoptions_set_sync(durable, 1)
    reading = rocksdb_readoptions_create()
  }

  deinit {
    rocksdb_close(database)
    rocksdb_writeoptions_destroy(durable)
    rocksdb_readoptions_destroy(reading)
  }

  /// Writes all pairs as one batch, in their order, and returns when it is on the disk.
  func write(_ products: ArraySlice<RecordingEngine.Pairs>) throws {
    RocksDBOptions.countNothing()
    let batch: OpaquePointer = rocksdb_writebatch_create()
    defer { rocksdb_writebatch_destroy(batch) }
    for (key, value) in products.joined() {
      key.withUnsafeBytes { key in
        value.withUnsafeBytes { value in
          rocksdb_writebatch_put(
            batch,
            key.baseAddress?.assumingMemoryBound(to: CChar.self),
            key.count,
            value.baseAddress?.assumingMemoryBound(to: CChar.self),
            value.count
          )
        }
      }
    }
    var message: UnsafeMutablePointer<CChar>?
    rocksdb_write(database, durable, batch, &message)
    if message != nil { throw Self.failure(message) }
  }

  /// The newest value of a key; nil where there is none.
  func get(_ key: [UInt8]) throws -> [UInt8]? {
    RocksDBOptions.countNothing()
    var message: UnsafeMutablePointer<CChar>?
    let pinned = key.withUnsafeBytes { key in
      rocksdb_get_pinned(
        database,
        reading,
        key.baseAddress?.assumingMemoryBound(to: CChar.self),
        key.count,
        &message
      )
    }
    if message != nil { throw Self.failure(message) }
    guard let pinned else { return nil }
    defer { rocksdb_pinnableslice_destroy(pinned) }
    var count = 0
    let value = rocksdb_pinnableslice_value(pinned, &count)
    return Array(UnsafeRawBufferPointer(start: value, count: count))
  }

  /// The keys that begin with a prefix, the first ones in order.
  func keys(from prefix: [UInt8], limit: Int) throws -> [[UInt8]] {
    RocksDBOptions.countNothing()
    let cursor: OpaquePointer = rocksdb_create_iterator(database, reading)
    defer { rocksdb_iter_destroy(cursor) }
    var keys: [[UInt8]] = []
    prefix.withUnsafeBytes {
      rocksdb_iter_seek(cursor, $0.baseAddress?.assumingMemoryBound(to: CChar.self), $0.count)
    }
    while keys.count < limit, rocksdb_iter_valid(cursor) != 0 {
      var count = 0
      let key = Array(UnsafeRawBufferPointer(start: rocksdb_iter_key(cursor, &count), count: count))
      guard key.starts(with: prefix) else { break }
      keys.append(key)
      rocksdb_iter_next(cursor)
    }
    var message: UnsafeMutablePointer<CChar>?
    rocksdb_iter_get_error(cursor, &message)
    if message != nil { throw Self.failure(message) }
    return keys
  }

  private static func failure(_ message: UnsafeMutablePointer<CChar>?) -> LoadError {
    guard let message else { return .refused("RocksDB failed without a word") }
    defer { rocksdb_free(message) }
    return .refused("RocksDB: \(String(cString: message))")
  }
}
