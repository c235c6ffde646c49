import FirestoreClient
import FirestoreSync
import Foundation

// Reading the results of queries.

extension Query {
  /// Reads the results: the server's state, or the cache's where that cannot be reached.
  public func getDocuments(completion: @escaping (QuerySnapshot?, (any Error)?) -> Void) {
    getDocuments(source: .default, completion: completion)
  }

  /// Reads the results: the server's state, or the cache's where that cannot be reached.
  public func getDocuments() async throws -> QuerySnapshot {
    try await getDocuments(source: .default)
  }

  /// Reads the results from a source.
  public func getDocuments(
    source: FirestoreSource,
    completion: @escaping (QuerySnapshot?, (any Error)?) -> Void
  ) {
    read(source, firestore.deliver(to: completion))
  }

  /// Reads the results from a source.
  public func getDocuments(source: FirestoreSource) async throws -> QuerySnapshot {
    try await firestore.result { read(source, $0) }
  }

  private func read(
    _ source: FirestoreSource,
    _ finish: @escaping @Sendable (Result<QuerySnapshot, any Error>) -> Void
  ) {
    let client = firestore.client
    let query: ListenQuery
    do {
      query = try listenQuery()
    } catch {
      return finish(.failure(FirestoreErrorCode.app(error)))
    }
    client.perform { [self] client in
      guard source == .cache else {
        return client.firstSnapshot(query) { _, result in
          finish(result.snapshot { QuerySnapshot(self, $0) }.flatMap { Self.judged($0, source) })
        }
      }
      do {
        finish(.success(QuerySnapshot(self, try client.cachedResults(query))))
      } catch {
        finish(.failure(FirestoreErrorCode.app(error)))
      }
    }
  }

  private static func judged(
    _ snapshot: QuerySnapshot,
    _ source: FirestoreSource
  ) -> Result<QuerySnapshot, any Error> {
    guard snapshot.metadata.isFromCache, source == .server else { return .success(snapshot) }
    return .failure(
      FirestoreErrorCode.error(
        .unavailable,
        "Failed to get documents from server. (However, these documents may exist in the local cache. Run "
          + "again without setting source to FirestoreSourceServer to retrieve the cached documents.)"
      )
    )
  }
}
