import FirebaseCore
import FirestoreClient
import FirestoreSync
import Foundation

// The network switch, the end of a client, and what waits for writes.

extension Firestore {
  /// Uses the network again.
  public func enableNetwork(completion: (((any Error)?) -> Void)? = nil) {
    switchNetwork(on: true, deliver(to: completion))
  }

  /// Uses the network again.
  public func enableNetwork() async throws {
    try await completion { switchNetwork(on: true, $0) }
  }

  /// Uses the cache alone until the network is enabled again; writes are queued.
  public func disableNetwork(completion: (((any Error)?) -> Void)? = nil) {
    switchNetwork(on: false, deliver(to: completion))
  }

  /// Uses the cache alone until the network is enabled again; writes are queued.
  public func disableNetwork() async throws {
    try await completion { switchNetwork(on: false, $0) }
  }

  private func switchNetwork(
    on isOn: Bool,
    _ completion: @escaping @Sendable (FirestoreFailure?) -> Void
  ) {
    client.perform { client in
      if isOn { client.enableNetwork() } else { client.disableNetwork() }
      completion(nil)
    }
  }

  /// Calls back when the server has answered all writes that are queued now.
  ///
  /// Offline it waits. It ends with `cancelled` when another user signs in.
  public func waitForPendingWrites(completion: @escaping ((any Error)?) -> Void) {
    let completion = deliver(to: completion)
    client.perform { $0.waitForPendingWrites(completion) }
  }

  /// Waits until the server has answered all writes that are queued now.
  public func waitForPendingWrites() async throws {
    let client = client
    try await completion { done in client.perform { $0.waitForPendingWrites(done) } }
  }

  /// Ends the client: its listeners end silently, and every further call traps.
  ///
  /// The writes made so far stay in a cache on disk and are sent by the next client.
  public func terminate(completion: (((any Error)?) -> Void)? = nil) {
    terminate(deliver(to: completion))
  }

  /// Ends the client: its listeners end silently, and every further call traps.
  public func terminate() async throws { try await completion { terminate($0) } }

  private func terminate(_ completion: @escaping @Sendable (FirestoreFailure?) -> Void) {
    if let client = stop() {
      client.perform { _ in completion(nil) }
    } else {
      completion(nil)
    }
  }

  /// Removes what the cache keeps on disk; only before the first use or after the end.
  public func clearPersistence(completion: (((any Error)?) -> Void)? = nil) {
    clearPersistence(deliver(to: completion))
  }

  /// Removes what the cache keeps on disk; only before the first use or after the end.
  public func clearPersistence() async throws { try await completion { clearPersistence($0) } }

  private func clearPersistence(_ completion: @escaping @Sendable (FirestoreFailure?) -> Void) {
    // Under the lock: a client that is made from now on opens the file after its removal.
    let turn = state.withLock { state -> CacheTurn? in
      if case .running = state.client { nil } else { CacheTurn.next(at: cacheFile) }
    }
    if let turn {
      removeCache(turn, completion)
    } else {
      let text = "Persistence cannot be cleared while the client is running."
      completion(FirestoreFailure(.failedPrecondition, text))
    }
  }

  /// Calls the listener soon, and whenever all listeners have received the same changes.
  @discardableResult
  public func addSnapshotsInSyncListener(
    _ listener: @escaping () -> Void
  ) -> any ListenerRegistration {
    let callback = AppCallback<Void>(listener)
    let queue = callbackQueue
    let registration = ClientRegistration(client) { $0.removeInSyncListener($1) }
    registration.begin { client, isRemoved in
      client.addInSyncListener {
        queue.async { if !isRemoved() { callback.call(()) } }
      }
    }
    return registration
  }
}
