import BaseText
import FirestoreModel
import FirestoreSync
import Synchronization
import Testing

@testable import FirestoreClient

/// Users that change while a stream waits for its credentials.
struct UserChangeTests {
  private static func client(
    _ database: DatabaseID,
    _ transport: any FirestoreTransport,
    _ credentials: any ClientCredentials
  ) -> SyncClient {
    var configuration = SyncClientConfiguration(
      database: database,
      transport: transport,
      now: { Timestamp(microseconds: 1) },
      openStore: { (MemoryLocalStore(), "store") }
    )
    configuration.credentials = credentials
    return SyncClient(configuration)
  }

  @Test(.timeLimit(.minutes(10)))
  func `a user's writes do not go out with the credentials of the next one`() async throws {
    let database = DatabaseID(project: Text("p"), database: Text("(default)"))
    let users = ChangingUsers()
    let transport = AnsweringTransport()
    let client = Self.client(database, transport, users)
    let name = DocumentName(database: database, path: ResourcePath(["c", "a"]))
    let failure = await withCheckedContinuation {
      (continuation: CheckedContinuation<FirestoreFailure?, Never>) in
      client.perform { client in
        client.write([Write(name: name, operation: .delete)]) { _ in }
        client.waitForPendingWrites { continuation.resume(returning: $0) }
      }
    }
    #expect(failure?.code == .cancelled)
    #expect(transport.sent.isEmpty)
    users.change(to: "a")
    let other = await withCheckedContinuation {
      (continuation: CheckedContinuation<FirestoreFailure?, Never>) in
      client.perform { $0.waitForPendingWrites { continuation.resume(returning: $0) } }
    }
    #expect(other == nil)
    #expect(transport.sent == ["token of a"])
    client.perform { $0.terminate() }
  }

  @Test(.timeLimit(.minutes(10)))
  func `a write is of who is signed in, also before the observer has told of them`() async throws {
    let database = DatabaseID(project: Text("p"), database: Text("(default)"))
    let users = SilentUsers()
    let transport = AnsweringTransport()
    let client = Self.client(database, transport, users)
    // Nobody is signed in as the client starts.
    #expect(await Self.pendingWrites(of: client) == nil)
    users.user.withLock { $0 = "a" }
    let name = DocumentName(database: database, path: ResourcePath(["c", "a"]))
    client.perform { $0.write([Write(name: name, operation: .delete)]) { _ in } }
    #expect(await Self.pendingWrites(of: client) == nil)
    #expect(transport.sent == ["token of a"])
    client.perform { $0.terminate() }
  }

  /// Waits until the server has all writes of who is signed in.
  private static func pendingWrites(of client: SyncClient) async -> FirestoreFailure? {
    await withCheckedContinuation { continuation in
      client.perform { $0.waitForPendingWrites { continuation.resume(returning: $0) } }
    }
  }
}

/// Users of whom no observer is ever told.
private final class SilentUsers: ClientCredentials {
  let user = Mutex<UserID>(nil)

  var currentUser: UserID { user.withLock { $0 } }

  func credentials(forcingRefresh: Bool) async throws -> CallCredentials {
    CallCredentials(token: currentUser.map { "token of \($0)" })
  }

  func observeUser(_ observer: @escaping @Sendable (UserID) -> Void) {}
}

/// Signs another user in while the first credentials are fetched; nobody is told of that one.
private final class ChangingUsers: ClientCredentials {
  private struct State {
    var user = "a"
    var isFirst = true
    var observer: (@Sendable (UserID) -> Void)?
  }

  private let state = Mutex(State())

  var currentUser: UserID { state.withLock { $0.user } }

  func credentials(forcingRefresh: Bool) async throws -> CallCredentials {
    let user = state.withLock { state in
      if state.isFirst { state.user = "b" }
      state.isFirst = false
      return state.user
    }
    return CallCredentials(token: "token of \(user)")
  }

  func observeUser(_ observer: @escaping @Sendable (UserID) -> Void) {
    state.withLock { $0.observer = observer }
  }

  /// Signs a user in and tells the observer.
  func change(to user: String) {
    let observer = state.withLock { state in
      state.user = user
      return state.observer
    }
    observer?(user)
  }
}

/// A server that acknowledges every batch of writes and knows whose credentials it came with.
private final class AnsweringTransport: FirestoreTransport {
  private struct Watch: WatchStream {
    func listen(_ data: TargetData) {}
    func unlisten(_ id: TargetID) {}
    func close() {}
  }

  private struct Stream: WriteStream {
    let token: String
    let transport: AnsweringTransport
    let receive: @Sendable (WriteStreamEvent) -> Void

    func shakeHands() { receive(.shaken(token: [1])) }

    func send(_ writes: [Write], token: [UInt8], label: String?) {
      transport.tokens.withLock { $0.append(self.token) }
      let version = CommitVersion(microseconds: 2)
      let results = writes.map { _ in WriteResult(updateTime: version) }
      receive(.acknowledged(token: [2], version: version, results: results))
    }

    func close() {}
  }

  private struct Unsupported: Error {}

  private let tokens = Mutex<[String]>([])

  /// The tokens of batches, in their order.
  var sent: [String] { tokens.withLock { $0 } }

  func openWatch(
    _ credentials: CallCredentials,
    _ receive: @escaping @Sendable (WatchStreamEvent) -> Void
  ) -> any WatchStream { Watch() }

  func openWrite(
    _ credentials: CallCredentials,
    _ receive: @escaping @Sendable (WriteStreamEvent) -> Void
  ) -> any WriteStream {
    Stream(token: credentials.token ?? "nobody", transport: self, receive: receive)
  }

  func documents(
    _ names: [DocumentName],
    _ credentials: CallCredentials
  ) async throws -> [CachedDocument] { throw Unsupported() }

  func commit(
    _ writes: [Write],
    _ credentials: CallCredentials
  ) async throws -> (version: CommitVersion, results: [WriteResult]) { throw Unsupported() }

  func results(
    _ query: Query,
    _ credentials: CallCredentials
  ) async throws -> [CachedDocument] { throw Unsupported() }

  func aggregate(
    _ aggregations: [Aggregation],
    over query: Query,
    _ credentials: CallCredentials
  ) async throws -> [Text: Value] { throw Unsupported() }

  func shutDown() {}
}
