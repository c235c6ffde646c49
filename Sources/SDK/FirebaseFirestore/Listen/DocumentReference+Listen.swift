import FirebaseCore
import FirestoreClient
import FirestoreSync
import Foundation

// Listening to single documents.

extension DocumentReference {
  /// Calls the listener with the document: soon, and whenever it changes.
  @discardableResult
  public func addSnapshotListener(
    _ listener: @escaping (DocumentSnapshot?, (any Error)?) -> Void
  ) -> any ListenerRegistration {
    addSnapshotListener(options: SnapshotListenOptions(), listener: listener)
  }

  /// Calls the listener with the document: soon, and whenever it or, if asked for, its metadata changes.
  @discardableResult
  public func addSnapshotListener(
    includeMetadataChanges: Bool,
    listener: @escaping (DocumentSnapshot?, (any Error)?) -> Void
  ) -> any ListenerRegistration {
    let options = SnapshotListenOptions().withIncludeMetadataChanges(includeMetadataChanges)
    return addSnapshotListener(options: options, listener: listener)
  }

  /// Calls the listener with the document in the way that the options say.
  @discardableResult
  public func addSnapshotListener(
    options: SnapshotListenOptions,
    listener: @escaping (DocumentSnapshot?, (any Error)?) -> Void
  ) -> any ListenerRegistration {
    let callback = AppCallback<Result<DocumentSnapshot, any Error>> { result in
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
      @escaping @Sendable (Result<DocumentSnapshot, any Error>, @escaping @Sendable () -> Bool) ->
      Void
  ) -> ClientRegistration {
    let registration = ClientRegistration(firestore.client) { $0.unlisten($1) }
    let query = ListenQuery(document: name.path)
    let listenOptions = options.listenOptions
    registration.begin { client, isRemoved in
      client.listen(query, listenOptions, ended: ended) { result in
        handler(result.snapshot { DocumentSnapshot(self, $0) }, isRemoved)
      }
    }
    return registration
  }
}
