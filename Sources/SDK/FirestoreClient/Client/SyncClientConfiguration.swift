import FirestoreModel
import FirestoreSync

/// The caller's credentials, in the form that the client asks for.
package protocol ClientCredentials: Sendable {
  /// The current user; nil if there is none.
  var currentUser: UserID { get }
  /// Credentials for a call, renewed if `forcingRefresh` says so.
  func credentials(forcingRefresh: Bool) async throws -> CallCredentials
  /// Calls the observer after each change of the signed-in user.
  func observeUser(_ observer: @escaping @Sendable (UserID) -> Void)
}

/// The credentials of a caller who is not signed in.
package struct NoCredentials: ClientCredentials {
  /// No user.
  package init() {}

  /// Nil: there is never a signed-in user.
  package var currentUser: UserID { nil }

  /// Returns credentials without a token at once.
  package func credentials(forcingRefresh: Bool) async throws -> CallCredentials {
    CallCredentials(token: nil)
  }

  /// Never calls the observer.
  package func observeUser(_ observer: @escaping @Sendable (UserID) -> Void) {}
}

/// The settings with which a client is made.
package struct SyncClientConfiguration: Sendable {
  /// The database that the client synchronizes.
  package var database: DatabaseID
  /// The rule by which the cache drops documents that nothing uses.
  package var policy = CollectionPolicy.leastRecentlyUsed
  /// The number of bytes of documents that the cache keeps; nil means all.
  package var cacheBytes: Int? = 100 << 20
  /// The connection to the server, which the client shuts down at its end.
  package var transport: any FirestoreTransport
  /// The source of tokens and of the current user.
  package var credentials: any ClientCredentials = NoCredentials()
  /// Opens the cache, on the client's queue; and the name that distinguishes its batches from other
  /// caches'.
  package var openStore: @Sendable () throws -> (store: any LocalStore, name: String)
  /// This machine's clock.
  package var now: @Sendable () -> Timestamp
  /// A number from -0.5 to 0.5 by which delays after errors are varied.
  package var jitter: @Sendable () -> Double = { Double.random(in: -0.5...0.5) }
  /// Calls back after a time, on any thread; nil is by the machine's clock.
  package var schedule: (@Sendable (Duration, @escaping @Sendable () -> Void) -> Void)?
  /// Takes lines of the log.
  package var log: @Sendable (String) -> Void = { _ in }

  /// A configuration for a database, with a cache in memory.
  package init(
    database: DatabaseID,
    transport: any FirestoreTransport,
    now: @escaping @Sendable () -> Timestamp,
    openStore: @escaping @Sendable () throws -> (store: any LocalStore, name: String)
  ) {
    self.database = database
    self.transport = transport
    self.now = now
    self.openStore = openStore
  }
}
