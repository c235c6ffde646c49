import FirestoreClient
import FirestoreSync
import Foundation

// Indexes of the cache.

extension Firestore {
  /// The indexes of the cache; nil where it is in memory.
  public var persistentCacheIndexManager: PersistentCacheIndexManager? {
    guard settings.cacheSettings is PersistentCacheSettings else { return nil }
    let client = client
    return state.withLock { state in
      if let known = state.indexManager { return known }
      let made = PersistentCacheIndexManager(client)
      state.indexManager = made
      return made
    }
  }

  /// Makes the cache's indexes those of a configuration as `firestore.indexes.json` has it; all others go.
  @available(
    *,
    deprecated,
    message: "Use persistentCacheIndexManager and enableIndexAutoCreation() instead."
  )
  public func setIndexConfiguration(
    _ json: String,
    completion: (((any Error)?) -> Void)? = nil
  ) {
    configureIndexes(json, deliver(to: completion))
  }

  /// Makes the cache's indexes those of a configuration as `firestore.indexes.json` has it; all others go.
  @available(
    *,
    deprecated,
    message: "Use persistentCacheIndexManager and enableIndexAutoCreation() instead."
  )
  public func setIndexConfiguration(_ json: String) async throws {
    try await completion { configureIndexes(json, $0) }
  }

  /// The same from a stream.
  @available(
    *,
    deprecated,
    message: "Use persistentCacheIndexManager and enableIndexAutoCreation() instead."
  )
  public func setIndexConfiguration(
    _ stream: InputStream,
    completion: (((any Error)?) -> Void)? = nil
  ) {
    configureIndexes(stream, deliver(to: completion))
  }

  /// The same from a stream.
  @available(
    *,
    deprecated,
    message: "Use persistentCacheIndexManager and enableIndexAutoCreation() instead."
  )
  public nonisolated(nonsending) func setIndexConfiguration(_ stream: InputStream) async throws {
    try await completion { configureIndexes(stream, $0) }
  }

  private func configureIndexes(
    _ stream: InputStream,
    _ completion: @escaping @Sendable (FirestoreFailure?) -> Void
  ) {
    switch Self.read(stream) {
    case .success(let bytes):
      configureIndexes(String(decoding: bytes, as: UTF8.self), completion)
    case .failure:
      completion(FirestoreFailure(.dataLoss, "The stream of the indexes cannot be read."))
    }
  }

  private func configureIndexes(
    _ json: String,
    _ completion: @escaping @Sendable (FirestoreFailure?) -> Void
  ) {
    let definitions: [FieldIndex.Definition]
    do {
      definitions = try IndexConfiguration(json).definitions
    } catch {
      return completion(FirestoreFailure(.invalidArgument, error.message))
    }
    client.perform { client in
      do {
        try client.configureIndexes(definitions)
        completion(nil)
      } catch {
        completion(FirestoreFailure(.unavailable, "The indexes can't be saved: \(error)"))
      }
    }
  }
}
