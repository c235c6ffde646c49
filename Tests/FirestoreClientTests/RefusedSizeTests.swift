import BaseText
import DocumentCodec
import FirestoreModel
import FirestoreSync
import Foundation
import SDKTestSupport
import Synchronization
import Testing

@testable import FirestoreClient

/// Requests that are too large for the server, against the program.
@Suite(.timeLimit(.minutes(10)))
struct RefusedSizeTests {
  private let database = DatabaseID(project: Text("size-\(UUID().uuidString.lowercased())"))

  private func client() throws -> SyncClient {
    var configuration = SyncClientConfiguration(
      database: database,
      transport: HTTPTransport(
        url: try BrasaServer.shared.get().url,
        database: database,
        clientHeaders: []
      ),
      now: { Timestamp(microseconds: Int64(Date().timeIntervalSince1970 * 1_000_000)) },
      openStore: { (MemoryLocalStore(), UUID().uuidString) }
    )
    // Without delays after errors a refusal that is taken for a passing one is sent again at once, for ever.
    configuration.jitter = { -0.9999 }
    return SyncClient(configuration)
  }

  /// A write of a document with a text.
  private func write(_ id: String, _ text: String) -> Write {
    let map = MapValue([.init(key: "text", value: .string(Text(text)))])
    return Write(
      name: DocumentName(database: database, path: ResourcePath(["items", Text(id)])),
      operation: .update(DocumentFields(encoding: map), mask: nil)
    )
  }

  /// Documents of 900,000 bytes of text; one of the first 128 characters makes more in JSON.
  private func batch(of count: Int, _ character: Character) -> [Write] {
    let length = 900_000 / String(character).utf8.count
    return (0..<count).map { write("d\($0)", String(repeating: character, count: length)) }
  }

  /// The failures of batches, in the order in which they ended, by the batches' names.
  private func ends(
    of batches: [(name: String, writes: [Write])],
    _ client: SyncClient
  ) async -> [(name: String, failure: FirestoreFailure?)] {
    let ends = Mutex<[(name: String, failure: FirestoreFailure?)]>([])
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      client.perform { client in
        for (name, writes) in batches {
          client.write(writes) { failure in ends.withLock { $0.append((name, failure)) } }
        }
        client.waitForPendingWrites { _ in continuation.resume() }
      }
    }
    return ends.withLock { $0 }
  }

  @Test func `a commit of more than 10 MiB is refused at once, without a network too`() async throws
  {
    let client = try client()
    client.perform { $0.disableNetwork() }
    let failures = Mutex<[FirestoreFailure?]>([])
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      client.perform { [self] client in
        let batch = batch(of: 20, "x")
        client.write(batch) { failure in failures.withLock { $0.append(failure) } }
        client.writeLocally(batch) { failure in failures.withLock { $0.append(failure) } }
        // Nothing is queued, so nothing is waited for.
        client.waitForPendingWrites { _ in continuation.resume() }
      }
    }
    #expect(failures.withLock { $0.map { $0?.code } } == [.invalidArgument, .invalidArgument])
    client.perform { $0.terminate() }
  }

  @Test func `a batch that the server takes no request of is refused for good, and it alone`()
    async throws
  {
    let client = try client()
    // A control character is six bytes of JSON: 3.6 MB are more than the server takes.
    let batches = [
      ("before", [write("before", "a")]), ("large", batch(of: 4, "\u{1}")),
      ("after", [write("after", "b")]),
    ]
    let ends = await ends(of: batches, client)
    #expect(ends.map(\.name) == ["before", "large", "after"])
    #expect(ends.map(\.failure?.code) == [nil, .invalidArgument, nil])
    let names = [write("before", "").name, write("d0", "").name, write("after", "").name]
    let found = try await client.call { transport, credentials in
      try await transport.documents(names, credentials)
    }
    let written = found.filter(\.isFound).map(\.name)
    #expect(Set(written) == [names[0], names[2]])
    client.perform { $0.terminate() }
  }

  @Test func `nine megabytes of text in any language are written`() async throws {
    let client = try client()
    let ends = await ends(of: [("large", batch(of: 10, "ж"))], client)
    #expect(ends.map(\.failure?.code) == [nil])
    client.perform { $0.terminate() }
  }

  @Test func `a transaction's commit that is too large is refused for good`() async throws {
    let client = try client()
    let large = batch(of: 4, "\u{1}")
    let failure = await #expect(throws: FirestoreFailure.self) {
      try await client.call { transport, credentials in
        _ = try await transport.commit(large, credentials)
      }
    }
    #expect(failure?.code == .invalidArgument)
    client.perform { $0.terminate() }
  }

  @Test func `a listener that is too large to be asked for fails, and the others go on`()
    async throws
  {
    let client = try client()
    let text = Value.string(Text(String(repeating: "\u{1}", count: 3_500_000)))
    var query = Query(scope: .collection("items"))
    query.filter = .field(FieldPath(["text"]), .equal, text)
    let large = try ListenQuery(query)
    let other = try ListenQuery(Query(scope: .collection("items")))
    let (failures, refused) = AsyncStream.makeStream(of: FirestoreFailure.self)
    let (snapshots, shown) = AsyncStream.makeStream(of: ViewSnapshot.self)
    client.perform { client in
      _ = client.listen(large, ListenOptions()) { result in
        if case .failure(let failure) = result { refused.yield(failure) }
      }
      _ = client.listen(other, ListenOptions(includesMetadataChanges: true)) { result in
        if case .success(let snapshot) = result { shown.yield(snapshot) }
      }
    }
    let failure = await failures.first { _ in true }
    #expect(failure?.code == .invalidArgument)
    let snapshot = await snapshots.first { !$0.isFromCache }
    #expect(snapshot?.documents.count == 0)
    client.perform { $0.terminate() }
  }
}

/// Tests of the way in which messages are combined into requests.
@Suite struct ForwardQueueTests {
  private static func queue(_ sizes: [Int]) -> ForwardQueue {
    var queue = ForwardQueue()
    for (tag, size) in sizes.enumerated() {
      queue.append([UInt8](repeating: UInt8(ascii: "x"), count: size), tag: tag)
    }
    return queue
  }

  @Test func `a large message goes alone`() {
    var queue = Self.queue([10, 10, 3 << 20, 10])
    var requests: [[Int?]] = []
    while let batch = queue.begin() {
      requests.append(batch.messages.map(\.tag))
      queue.finish()
    }
    #expect(requests == [[0, 1], [2], [3]])
  }

  @Test func `a request that is refused for its size is sent in parts`() {
    var queue = Self.queue([10, 10, 10])
    #expect(queue.begin()?.messages.count == 3)
    var parts: [(offset: Int, tags: [Int?])] = []
    var part = queue.separate()
    while let batch = part {
      parts.append((batch.offset, batch.messages.map(\.tag)))
      queue.finish()
      part = queue.begin()
    }
    #expect(parts.map(\.offset) == [0, 1, 2])
    #expect(parts.map(\.tags) == [[0], [1], [2]])
  }

  @Test func `a single message cannot be sent in parts`() {
    var queue = Self.queue([10])
    #expect(queue.begin() != nil && queue.separate() == nil)
  }
}
