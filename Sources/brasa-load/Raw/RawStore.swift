import CRocksDB

/// RocksDB by itself: one plain batch, one sync, nothing of ours in between.
final class RawStore {
  private let options: OpaquePointer
  private let durable: OpaquePointer
  private let database: OpaquePointer

  /// Opens a database in a directory, made if it is missing, with memtables as the server has them.
  init(directory: String) throws {
    let options: OpaquePointer = rocksdb_options_create()
    rocksdb_options_set_create_if_missing(options, 1)
    rocksdb_options_set_write_buffer_size(options, 16 << 20)
    rocksdb_options_set_max_write_buffer_number(options, 3)
    rocksdb_options_set_max_background_jobs(options, 2)
    rocksdb_options_set_compression(options, Int32(rocksdb_lz4_compression))
    var message: UnsafeMutablePointer<CChar>?
    guard let database = rocksdb_open(options, directory, &message) else {
      rocksdb_options_destroy(options)
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
    rocksdb_options_destroy(options)
  }

  /// Writes all pairs as one batch and returns when it is on the disk.
  func write(_ products: ArraySlice<RecordingEngine.Pairs>) throws {
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
