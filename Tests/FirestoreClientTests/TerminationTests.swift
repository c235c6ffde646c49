import BaseStatus
import BaseText
import FirestoreModel
import FirestoreSync
import Synchronization
import Testing

@testable import FirestoreClient

/// Tests of callers that wait when a client ends.
@Suite(.timeLimit(.minutes(10)))
struct TerminationTests {
  private static let database = DatabaseID(project: Text("p"), database: Text("(default)"))
  private static let path = ResourcePath(["c", "a"])

  private static func client(_ transport: any FirestoreTransport) -> SyncClient {
    SyncClient(
      SyncClientConfiguration(
        database: database,
        transport: transport,
        now: { Timestamp(microseconds: 1) },
        openStore: { (MemoryLocalStore(), "store") }
      )
    )
  }

  /// The ends of all that was begun, in the order in which they came.
  private static func ends(of client: SyncClient) async -> [String] {
    await withCheckedContinuation { continuation in
      let ends = Mutex<[String]>([])
      let note: @Sendable (String, StatusCode?) -> Void = { name, code in
        ends.withLock { $0.append("\(name) \(code.map { "\($0)" } ?? "none")") }
      }
      client.perform { client in
        let query = ListenQuery(document: path)
        _ = client.listen(query, ListenOptions()) { _ in note("listener", nil) }
        client.firstSnapshot(query) { _, result in
          if case .failure(let failure) = result { note("read", failure.code) }
        }
        let name = DocumentName(database: database, path: path)
        client.write([Write(name: name, operation: .delete)]) { note("write", $0?.code) }
        client.waitForPendingWrites { note("waiting", $0?.code) }
        ends.withLock { $0 = [] }
        client.terminate()
        continuation.resume(returning: ends.withLock { $0 })
      }
    }
  }

  @Test func `reads and writes hear of it, listeners do not`() async {
    let client = Self.client(SilentTransport())
    let ends = await Self.ends(of: client)
    #expect(ends == ["read cancelled", "write cancelled", "waiting cancelled"])
    #expect(client.isTerminated)
  }

  @Test func `a call that is under way ends, and none begins`() async {
    let transport = SilentTransport()
    let client = Self.client(transport)
    let call = Task { await Self.failure(of: client) }
    await transport.waitForCall()
    client.perform { $0.terminate() }
    #expect(await call.value?.code == .cancelled)
    #expect(await Self.failure(of: client)?.code == .cancelled)
    // The switch of the network does not bring it back.
    client.perform { $0.enableNetwork() }
    #expect(await Self.failure(of: client)?.code == .cancelled)
  }

  private static func failure(of client: SyncClient) async -> FirestoreFailure? {
    do {
      _ = try await client.call { transport, credentials in
        try await transport.documents([], credentials)
      }
      return nil
    } catch {
      return error as? FirestoreFailure
    }
  }
}

/// A server that never answers; its calls end when it is shut down.
final class SilentTransport: FirestoreTransport {
  private struct Silent: WatchStream, WriteStream {
    func listen(_ data: TargetData) {}
    func unlisten(_ id: TargetID) {}
    func shakeHands() {}
    func send(_ writes: [Write], token: [UInt8], label: String?) {}
    func close() {}
  }

  private struct Closed: Error {}

  private let call = Mutex<CheckedContinuation<Void, any Error>?>(nil)
  private let (begun, begin) = AsyncStream.makeStream(of: Void.self)

  /// Waits until somebody has called.
  func waitForCall() async {
    for await _ in begun { return }
  }

  func openWatch(
    _ credentials: CallCredentials,
    _ receive: @escaping @Sendable (WatchStreamEvent) -> Void
  ) -> any WatchStream { Silent() }

  func openWrite(
    _ credentials: CallCredentials,
    _ receive: @escaping @Sendable (WriteStreamEvent) -> Void
  ) -> any WriteStream { Silent() }

  func documents(
    _ names: [DocumentName],
    _ credentials: CallCredentials
  ) async throws -> [CachedDocument] {
    try await withCheckedThrowingContinuation { continuation in
      call.withLock { $0 = continuation }
      begin.yield()
    }
    return []
  }

  func commit(
    _ writes: [Write],
    _ credentials: CallCredentials
  ) async throws -> (version: CommitVersion, results: [WriteResult]) { throw Closed() }

  func results(
    _ query: Query,
    _ credentials: CallCredentials
  ) async throws -> [CachedDocument] { throw Closed() }

  func aggregate(
    _ aggregations: [Aggregation],
    over query: Query,
    _ credentials: CallCredentials
  ) async throws -> [Text: Value] { throw Closed() }

  func shutDown() { call.withLock { $0.take() }?.resume(throwing: Closed()) }
}
