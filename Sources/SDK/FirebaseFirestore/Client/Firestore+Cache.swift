import FirebaseCore
import FirestoreCache
import FirestoreSync
import Foundation

// The cache behind a database: in a file beside the app's other state, or in memory.

extension Firestore {
  /// The cache's file: one for each app's name, project and database, for any server.
  package var cacheFile: URL {
    app.stateFile(named: "firestore_\(database.database.string).sqlite")
  }

  /// The number of seconds to wait for a file that another process has open.
  ///
  /// That process may be about to end. Clients of this process are waited for by turns.
  private static var greatestWait: Double { 1 }

  /// A turn at the file, if the settings ask for one.
  func cacheTurn(_ settings: any LocalCacheSettings) -> CacheTurn? {
    settings is PersistentCacheSettings ? CacheTurn.next(at: cacheFile) : nil
  }

  /// Opens the file when its turn has come, or a cache in memory where there is no turn; returns it with its name.
  func cacheOpener(
    _ turn: CacheTurn?
  ) -> @Sendable () throws -> (store: any LocalStore, name: String) {
    guard let turn else { return { (MemoryLocalStore(), UUID().uuidString) } }
    let (file, database) = (cacheFile, database)
    return {
      turn.wait()
      let opened = DurableLocalStore.openOrReplace(
        file,
        database: database,
        waiting: Self.greatestWait
      )
      let durable = opened.store as? DurableLocalStore
      if let problem = opened.problem { Self.log(problem, isReplaced: durable != nil) }
      return (opened.store, durable?.name ?? UUID().uuidString)
    }
  }

  private static func log(_ problem: CacheError, isReplaced: Bool) {
    let consequence =
      isReplaced
      ? "It was replaced by a new one with the queued writes that could be read."
      : "The cache is in memory until the app starts again: writes that the server has not answered by "
        + "then are lost."
    let cause = problem.cause.map { " (\($0))" } ?? ""
    FirebaseLog.write(
      .error,
      "FirebaseFirestore",
      "I-FST000001",
      "\(problem.message) \(consequence)\(cause)"
    )
  }

  /// Removes the cache's file when its turn has come, on a thread of its own.
  func removeCache(
    _ turn: CacheTurn,
    _ completion: @escaping @Sendable (FirestoreFailure?) -> Void
  ) {
    let file = cacheFile
    turn.willEnd()
    DispatchQueue.global().async {
      turn.wait()
      let failure = Self.remove(file)
      turn.end()
      completion(failure)
    }
  }

  /// Removes a cache's file; returns why it cannot.
  private static func remove(_ file: URL) -> FirestoreFailure? {
    do {
      try DurableLocalStore.remove(file, waiting: greatestWait)
      return nil
    } catch {
      return FirestoreFailure(
        error.code == .inUse ? .failedPrecondition : .unavailable,
        error.message
      )
    }
  }
}

extension LocalCacheSettings {
  /// The policy by which documents are removed.
  var policy: CollectionPolicy {
    (self as? MemoryCacheSettings)?.collector is MemoryEagerGCSetting ? .eager : .leastRecentlyUsed
  }

  /// The number of bytes of documents to keep; nil for no limit.
  var bytes: Int? {
    let size: Int64
    switch self {
    case let cache as PersistentCacheSettings: size = cache.sizeBytes
    case let cache as MemoryCacheSettings:
      size = (cache.collector as? MemoryLRUGCSettings)?.sizeBytes ?? FirestoreCacheSizeUnlimited
    default: size = FirestoreSettings.defaultCacheSize
    }
    return size == FirestoreCacheSizeUnlimited ? nil : Int(size)
  }
}
