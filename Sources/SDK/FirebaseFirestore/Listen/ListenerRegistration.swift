import FirestoreClient
import FirestoreSync
import Foundation
import Locking

/// The registration that removes a listener; letting go of it does not end the listener.
public protocol ListenerRegistration: NSObjectProtocol, Sendable {
  /// Ends the listener: it is not called again, not even with queued events.
  func remove()
}

/// A listener of a client.
final class ClientRegistration: NSObject, ListenerRegistration {
  typealias Ending = @Sendable (isolated SyncClient, CallbackID) -> Void

  private struct State {
    var isRemoved = false
    var id: CallbackID?
  }

  private let client: SyncClient
  private let ending: Ending
  private let state = Lock(State())

  init(_ client: SyncClient, ending: @escaping Ending) {
    self.client = client
    self.ending = ending
  }

  /// Registers the listener on the client's queue.
  ///
  /// The body receives a value that shows if the listener has been removed.
  func begin(
    _ register:
      @escaping @Sendable (isolated SyncClient, _ isRemoved: @escaping @Sendable () -> Bool) ->
      CallbackID
  ) {
    client.perform { [self] client in
      guard !isRemoved else { return }
      let id = register(client) { self.isRemoved }
      state.withLock { $0.id = id }
    }
  }

  private var isRemoved: Bool { state.withLock { $0.isRemoved } }

  func remove() {
    let isFirst = state.withLock { state in
      defer { state.isRemoved = true }
      return !state.isRemoved
    }
    guard isFirst else { return }
    client.perform { [self] client in
      // Registration was put on the queue before.
      if let id = state.withLock({ $0.id }) { ending(client, id) }
    }
  }
}
