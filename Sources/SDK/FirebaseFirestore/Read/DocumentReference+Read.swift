import FirestoreClient
import FirestoreSync
import Foundation

// Reading single documents.

extension DocumentReference {
  /// Reads the document: the server's state, or the cache's where that cannot be reached.
  public func getDocument(completion: @escaping (DocumentSnapshot?, (any Error)?) -> Void) {
    getDocument(source: .default, completion: completion)
  }

  /// Reads the document: the server's state, or the cache's where that cannot be reached.
  public func getDocument() async throws -> DocumentSnapshot {
    try await getDocument(source: .default)
  }

  /// Reads the document from a source.
  public func getDocument(
    source: FirestoreSource,
    completion: @escaping (DocumentSnapshot?, (any Error)?) -> Void
  ) {
    read(source, firestore.deliver(to: completion))
  }

  /// Reads the document from a source.
  public func getDocument(source: FirestoreSource) async throws -> DocumentSnapshot {
    try await firestore.result { read(source, $0) }
  }

  private func read(
    _ source: FirestoreSource,
    _ finish: @escaping @Sendable (Result<DocumentSnapshot, any Error>) -> Void
  ) {
    let query = ListenQuery(document: name.path)
    let path = name.path
    firestore.client.perform { [self] client in
      guard source == .cache else {
        return client.firstSnapshot(query) { client, result in
          // A document that is known not to exist is a response too.
          let isKnown = (try? client.cachedDocument(path).content) == .missing
          finish(
            result.snapshot { DocumentSnapshot(self, $0) }
              .flatMap { Self.judged($0, source, isKnown: isKnown) }
          )
        }
      }
      do {
        finish(.success(try cached(try client.cachedDocument(path))))
      } catch {
        finish(.failure(FirestoreErrorCode.app(error)))
      }
    }
  }

  private func cached(_ document: CachedDocument) throws -> DocumentSnapshot {
    switch document.content {
    case .found, .missing: break
    case .unseen, .unknown:
      throw FirestoreErrorCode.error(
        .unavailable,
        "Failed to get document from cache. (However, this document may exist on the server. Run again "
          + "without setting source to FirestoreSourceCache to attempt to retrieve the document from the "
          + "server.)"
      )
    }
    return DocumentSnapshot(
      self,
      document.isFound ? document : nil,
      SnapshotMetadata(
        hasPendingWrites: document.isFound && document.hasLocalMutations,
        isFromCache: true
      )
    )
  }

  /// Returns the outcome of a read with this first snapshot: a failure if it comes only from the
  /// cache and does not suffice.
  private static func judged(
    _ snapshot: DocumentSnapshot,
    _ source: FirestoreSource,
    isKnown: Bool
  ) -> Result<DocumentSnapshot, any Error> {
    if !snapshot.exists, snapshot.metadata.isFromCache, !isKnown || source == .server {
      return .failure(
        FirestoreErrorCode.error(
          .unavailable,
          "Failed to get document because the client is offline."
        )
      )
    }
    if snapshot.exists, snapshot.metadata.isFromCache, source == .server {
      return .failure(
        FirestoreErrorCode.error(
          .unavailable,
          "Failed to get document from server. (However, this document does exist in the local cache. Run "
            + "again without setting source to FirestoreSourceServer to retrieve the cached document.)"
        )
      )
    }
    return .success(snapshot)
  }

  // MARK: As values

  /// Reads the document as a value.
  public func getDocument<T: Decodable>(
    as type: T.Type,
    with serverTimestampBehavior: ServerTimestampBehavior = .none,
    decoder: Firestore.Decoder = .init(),
    source: FirestoreSource = .default
  ) async throws -> T {
    let snapshot = try await getDocument(source: source)
    return try snapshot.data(as: type, with: serverTimestampBehavior, decoder: decoder)
  }

  /// Reads the document as a value.
  public func getDocument<T: Decodable>(
    as type: T.Type,
    with serverTimestampBehavior: ServerTimestampBehavior = .none,
    decoder: Firestore.Decoder = .init(),
    source: FirestoreSource = .default,
    completion: @escaping (Result<T, any Error>) -> Void
  ) {
    getDocument(source: source) { snapshot, error in
      guard let snapshot else {
        return completion(.failure(error ?? FirestoreErrorCode(.internal).object))
      }
      completion(
        Result {
          try snapshot.data(as: type, with: serverTimestampBehavior, decoder: decoder)
        }
      )
    }
  }
}
