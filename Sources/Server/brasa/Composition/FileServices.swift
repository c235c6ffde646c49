import FirestoreModel
import KeyValueStore
import Logging
import ObjectStorage

/// Cloud Storage's buckets and objects on a data directory: their bytes are below `files/`.
enum FileServices {
  /// Storage of a directory that is open.
  static func storage(
    _ directory: OpenDataDirectory,
    threads: EngineThreads,
    settings: ServeSettings,
    openFiles: Int
  ) throws -> ObjectStorage {
    let log = Logger(label: "storage")
    var configuration = StorageConfiguration()
    configuration.makesBuckets = settings.isDevelopment
    configuration.project = settings.project.map { Text($0) }
    configuration.errorObserver = { error in
      log.error("maintenance failed", metadata: ["error": "\(error)"])
    }
    return ObjectStorage(
      engine: directory.engine,
      blobs: try blobs(directory, threads: threads, openFiles: openFiles),
      threads: threads,
      configuration: configuration
    )
  }

  /// The same at rest, for commands.
  static func storage(
    _ directory: OpenDataDirectory,
    threads: EngineThreads
  ) throws -> ObjectStorage {
    ObjectStorage(
      engine: directory.engine,
      blobs: try blobs(directory, threads: threads, openFiles: 16),
      threads: threads
    )
  }

  private static func blobs(
    _ directory: OpenDataDirectory,
    threads: EngineThreads,
    openFiles: Int
  ) throws -> LocalBlobStore {
    try LocalBlobStore(
      directory: directory.path + "/files",
      threads: threads,
      openFiles: openFiles
    )
  }
}
