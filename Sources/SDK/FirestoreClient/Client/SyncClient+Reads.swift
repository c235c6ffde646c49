import FirestoreModel
import FirestoreSync
import Locking

// Reads: from the cache alone, once from a listener, and calls of the server without the cache.

extension SyncClient {
  /// A document from the cache alone; `.unseen` where nothing is known of it.
  package func cachedDocument(_ path: ResourcePath) throws -> CachedDocument {
    guard let engine = engine() else { throw failure }
    return try engine.cachedDocument(path)
  }

  /// A query's results from the cache alone.
  package func cachedResults(_ query: ListenQuery) throws -> ViewSnapshot {
    guard let engine = engine() else { throw failure }
    defer { fillIndexes() }
    return try engine.cachedResults(query)
  }

  /// A query that a bundle named.
  package func namedQuery(_ name: String) throws -> NamedQuery? {
    guard let engine = engine() else { throw failure }
    return try engine.namedQuery(name)
  }

  /// Listens until the first snapshot, which waits for the server while the client may be online.
  package func firstSnapshot(
    _ query: ListenQuery,
    _ handler:
      @escaping @Sendable (isolated SyncClient, Result<ViewSnapshot, FirestoreFailure>) -> Void
  ) {
    let options = ListenOptions(includesMetadataChanges: true, waitsForSyncWhenOnline: true)
    let id = newID()
    guard engine() != nil else { return handler(self, .failure(failure)) }
    followUser()
    listeners[id] = { [weak self] result in
      // On the client's queue, where every handler is called.
      self?.assumeIsolated { client in
        client.listeners[id] = nil
        client.reads.remove(id)
        client.handle(.unlisten(id))
        handler(client, result)
      }
    }
    reads.insert(id)
    handle(.listen(id, query, options))
  }

  // MARK: Single calls

  /// Calls the server without the cache; fails while the network is disabled and after the end.
  package nonisolated func call<R: Sendable>(
    _ body: @Sendable (any FirestoreTransport, CallCredentials) async throws -> R
  ) async throws -> R {
    switch calls.withLock({ $0 }) {
    case .allowed: break
    case .disabled: throw FirestoreFailure(.unavailable, "Failed to get result from server.")
    case .terminated: throw Self.terminated
    }
    let transport = configuration.transport
    let source = configuration.credentials
    do {
      return try await body(transport, try await source.credentials(forcingRefresh: false))
    } catch  where isTerminated {
      throw Self.terminated
    } catch let failure as FirestoreFailure where failure.code == .unauthenticated {
      return try await body(transport, try await source.credentials(forcingRefresh: true))
    }
  }
}
