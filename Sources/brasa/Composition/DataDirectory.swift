import DocumentStore
import FirestoreModel
import KeyValueRocksDB
import KeyValueStore

/// A data directory that this process has open: `store/` holds the database engine's files,
/// `administrator-key.sha256` the digest of the administrator key, `control.sock` is there while a
/// server runs.
final class DataDirectory: Sendable {
  let path: String
  let engine: RocksDBEngine
  let databases: Databases

  /// Opens the directory, making it if it does not exist.
  init(path: String, configuration: StoreConfiguration) throws {
    self.path = path
    engine = try RocksDBEngine(directory: path + "/store")
    do {
      databases = try Databases(engine: engine, configuration: configuration)
    } catch {
      try engine.close()
      throw error
    }
  }

  /// Ends the store's work and closes the files.
  func close() throws {
    databases.close()
    try engine.close()
  }
}
