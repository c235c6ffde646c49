import FirebaseCore
import FirestoreClient
import FirestoreModel
import FirestoreSync
import Foundation

// Listening to queries.

extension Query {
  /// The reason why a limit to the last is not possible; nil if it is.
  var limitProblem: String? {
    keepsLast && definition.limit != nil && !isOrdered
      ? "limit(toLast:) queries require specifying at least one OrderBy() clause." : nil
  }

  /// Returns the query to listen to; traps if a limit to the last has no order.
  func listenQuery() throws -> ListenQuery {
    if case .isNoted(let problem?) = misuse {
      throw FirestoreErrorCode.error(.invalidArgument, problem)
    }
    if let problem = limitProblem { fatalError(problem) }
    return try ListenQuery(definition, limitType: keepsLast ? .last : .first)
  }

  /// Returns the query to send to the server; a limit to the last counts from the other end there.
  func serverDefinition() throws -> FirestoreModel.Query {
    guard case .query(let query, _) = try listenQuery().target.kind else { return definition }
    return query
  }

  /// Calls the listener with the results: soon, and whenever they change.
  @discardableResult
  public func addSnapshotListener(
    _ listener: @escaping (QuerySnapshot?, (any Error)?) -> Void
  ) -> any ListenerRegistration {
    addSnapshotListener(options: SnapshotListenOptions(), listener: listener)
  }

  /// Calls the listener with the results: soon, and whenever they or, if asked for, their metadata change.
  @discardableResult
  public func addSnapshotListener(
    includeMetadataChanges: Bool,
    listener: @escaping (QuerySnapshot?, (any Error)?) -> Void
  ) -> any ListenerRegistration {
    let options = SnapshotListenOptions().withIncludeMetadataChanges(includeMetadataChanges)
    return addSnapshotListener(options: options, listener: listener)
  }

  /// Calls the listener with the results in the way that the options say.
  @discardableResult
  public func addSnapshotListener(
    options: SnapshotListenOptions,
    listener: @escaping (QuerySnapshot?, (any Error)?) -> Void
  ) -> any ListenerRegistration {
    let callback = AppCallback<Result<QuerySnapshot, any Error>> { result in
      switch result {
      case .success(let snapshot): listener(snapshot, nil)
      case .failure(let error): listener(nil, error)
      }
    }
    let queue = firestore.callbackQueue
    return listen(options) { result, isRemoved in
      queue.async { if !isRemoved() { callback.call(result) } }
    }
  }

  /// Listens with a handler on the client's queue; the end of the client is reported only to
  /// `ended`.
  func listen(
    _ options: SnapshotListenOptions,
    ended: (@Sendable () -> Void)? = nil,
    _ handler:
      @escaping @Sendable (Result<QuerySnapshot, any Error>, @escaping @Sendable () -> Bool) -> Void
  ) -> ClientRegistration {
    let registration = ClientRegistration(firestore.client) { $0.unlisten($1) }
    do {
      let query = try listenQuery()
      let listenOptions = options.listenOptions
      registration.begin { client, isRemoved in
        client.listen(query, listenOptions, ended: ended) { result in
          handler(result.snapshot { QuerySnapshot(self, $0) }, isRemoved)
        }
      }
    } catch {
      let error = FirestoreErrorCode.app(error)
      registration.begin { _, isRemoved in
        handler(.failure(error), isRemoved)
        return 0
      }
    }
    return registration
  }
}

extension Result<ViewSnapshot, FirestoreFailure> {
  /// The app's form of a listener's events.
  func snapshot<Snapshot>(
    _ make: (ViewSnapshot) -> Snapshot
  ) -> Result<Snapshot, any Error> {
    map(make).mapError { FirestoreErrorCode.error($0) as any Error }
  }
}
