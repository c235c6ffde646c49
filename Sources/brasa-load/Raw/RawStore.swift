import CRocksDB
import KeyValueRocksDB

/// RocksDB by itself, with the options of the server's engine: one plain batch, one sync, nothing of ours
/// in between.
final class RawStore {
  private let options: RocksDBOptions
  private let durable: OpaquePointer
  private let database: OpaquePointer

  /// What a server has by default where memory is not scarce; only reads and the number of open files
  /// depend on it.
  private static let cacheBytes = 512 << 20

  /// Opens a database in a directory, made if it is missing.
  init(directory: String) throws {
    var configuration = RocksDBConfiguration()
    configuration.blockCacheBytes = Self.cacheBytes
    let options = try RocksDBOptions(configuration)
    var message: UnsafeMutablePointer<CChar>?
    guard let database = rocksdb_open(options.database, directory, &message) else {
      throw Self.failure(message)
    }
    self.options = options
    self.database = database
    durable = rocksdb_writeoptions_create()
    rocksdb_writeoptions_set_sync(durable, 1)
  }

  deinit {
    rocksdb_close(database)
    rocksdb_writeoptions_destroy(durable)
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

  private static func failure(_ message: UnsafeMutablePointer<CChar>?) -> LoadError {
    guard let message else { return .refused("RocksDB failed without a word") }
    defer { rocksdb_free(message) }
    return .refused("RocksDB: \(String(cString: message))")
  }
}
