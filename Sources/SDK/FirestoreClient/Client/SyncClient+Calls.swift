import FirestoreModel
import FirestoreSync
import Locking

// The app's calls: listeners, writes, bundles, the network switch.

extension SyncClient {
  func newID() -> CallbackID {
    defer { nextID += 1 }
    return nextID
  }

  /// Listens to a query; the handler may be called before this returns.
  ///
  /// The end of the client is reported only to `ended`.
  package func listen(
    _ query: ListenQuery,
    _ options: ListenOptions,
    ended: (@Sendable () -> Void)? = nil,
    _ handler: @escaping ListenHandler
  ) -> CallbackID {
    let id = newID()
    guard engine() != nil else {
      handler(.failure(failure))
      return id
    }
    followUser()
    listeners[id] = handler
    ends[id] = ended
    handle(.listen(id, query, options))
    return id
  }

  /// Ends a listener, which is not called again.
  package func unlisten(_ id: CallbackID) {
    ends[id] = nil
    guard listeners.removeValue(forKey: id) != nil else { return }
    handle(.unlisten(id))
  }

  /// Writes locally and queues the writes; the completion comes with the server's response.
  package func write(_ writes: [Write], _ completion: @escaping Completion) {
    guard engine() != nil else { return completion(failure) }
    if let tooLarge = writes.sizeFailure { return completion(tooLarge) }
    followUser()
    let id = newID()
    completions[id] = completion
    handle(.write(id, writes, localWriteTime: configuration.now()))
  }

  /// Writes locally and queues the writes; the completion comes when the cache has them, or refuses them.
  package func writeLocally(_ writes: [Write], _ completion: @escaping Completion) {
    guard engine() != nil else { return completion(failure) }
    if let tooLarge = writes.sizeFailure { return completion(tooLarge) }
    followUser()
    let id = newID()
    // No caller waits for the server's response.
    completions[id] = { _ in }
    handle(.write(id, writes, localWriteTime: configuration.now()))
    let isTaken = completions[id] != nil
    completion(isTaken ? nil : FirestoreFailure(.unavailable, "Failed to persist write"))
  }

  /// Calls back when all writes that are queued now have been answered.
  package func waitForPendingWrites(_ completion: @escaping Completion) {
    guard engine() != nil else { return completion(failure) }
    followUser()
    let id = newID()
    completions[id] = completion
    handle(.waitForPendingWrites(id))
  }

  /// Calls the handler now and after every round of snapshots.
  package func addInSyncListener(_ handler: @escaping @Sendable () -> Void) -> CallbackID {
    let id = newID()
    inSyncListeners[id] = handler
    handle(.addSnapshotsInSyncListener(id))
    return id
  }

  /// Ends such a listener.
  package func removeInSyncListener(_ id: CallbackID) {
    inSyncListeners[id] = nil
    handle(.removeSnapshotsInSyncListener(id))
  }

  /// Loads a bundle; reports its progress on the way.
  package func loadBundle(
    _ bytes: [UInt8],
    progress: @escaping @Sendable (BundleProgress) -> Void = { _ in },
    completion: @escaping @Sendable (Result<BundleProgress, FirestoreFailure>) -> Void
  ) {
    guard engine() != nil else { return completion(.failure(failure)) }
    let id = newID()
    bundles[id] = completion
    handle(.loadBundle(id, bytes, progress: progress))
  }

  /// Uses the network again.
  package func enableNetwork() {
    calls.withLock { if case .disabled = $0 { $0 = .allowed } }
    handle(.enableNetwork)
  }

  /// Uses the cache alone.
  package func disableNetwork() {
    calls.withLock { if case .allowed = $0 { $0 = .disabled } }
    handle(.disableNetwork)
  }
}
