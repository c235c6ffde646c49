import DocumentStore
import FirestoreModel
import Foundation
import KeyValueRocksDB
import KeyValueStore

/// A data directory that this process has open: `store/` holds the database engine's files,
/// `administrator-key.sha256` the digest of the administrator key, `control.sock` is there while a
/// server runs.
final class OpenDataDirectory: Sendable {
  let path: String
  let engine: RocksDBEngine
  let databases: Databases

  /// Opens the directory, making it if it does not exist.
  ///
  /// What was read is kept in at most `cacheMegabytes` of memory; nil takes a sixteenth of the
  /// machine's, between 64 and 1,024. `openTables` files of the store stay open. `tableKilobytes` is for
  /// tests. `groupObserver` is told of every group that became durable.
  init(
    path: String,
    configuration: StoreConfiguration,
    openTables: Int,
    cacheMegabytes: Int? = nil,
    tableKilobytes: Int? = nil,
    groupObserver: (@Sendable (_ keys: Int, _ duration: Duration) -> Void)? = nil
  ) throws {
    self.path = path
    var tuning = RocksDBConfiguration()
    tuning.groupObserver = groupObserver
    tuning.openFiles = openTables
    if let tableKilobytes {
      tuning.tableBytes = tableKilobytes << 10
      tuning.writeBufferBytes = tableKilobytes << 10
    }
    let share = Int(ProcessInfo.processInfo.physicalMemory >> 24)
    let cache = (cacheMegabytes ?? min(max(share, 64), 1_024)) << 20
    // A document takes a fraction of the block that it is in, and is found at once.
    var configuration = configuration
    configuration.documentCacheBytes = cache / 2
    tuning.blockCacheBytes = cache - configuration.documentCacheBytes
    engine = try RocksDBEngine(directory: path + "/store", configuration: tuning)
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
