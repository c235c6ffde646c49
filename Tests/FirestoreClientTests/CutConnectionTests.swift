import BaseText
import Dispatch
import DocumentCodec
import FirestoreModel
import FirestoreSync
import Foundation
import ModelTestSupport
import SDKTestSupport
import Synchronization
import Testing

@testable import FirestoreClient

/// Connections that break at any byte, against the program.
@Suite(.timeLimit(.minutes(10)))
struct CutConnectionTests {
  /// So many seeds in the slow suite, else a few.
  private static func seeds(_ few: Int, slow: Int) -> [UInt64] {
    let isSlow = ProcessInfo.processInfo.environment["BRASA_SLOW_TESTS"] != nil
    return (0..<(isSlow ? slow : few)).map { _ in UInt64.random(in: 0 ... .max) }
  }

  private let database = DatabaseID(project: Text("cut-\(UUID().uuidString.lowercased())"))

  /// A client whose delays after errors are as good as none; without timers they never end.
  private func client(
    port: Int,
    timers: DispatchQueue? = DispatchQueue(label: "timers")
  ) -> SyncClient {
    var configuration = SyncClientConfiguration(
      database: database,
      transport: HTTPTransport(
        url: "http://127.0.0.1:\(port)",
        database: database,
        clientHeaders: []
      ),
      now: { Timestamp(microseconds: Int64(Date().timeIntervalSince1970 * 1_000_000)) },
      openStore: { (MemoryLocalStore(), UUID().uuidString) }
    )
    // Only delays after errors vary; all others are longer than this.
    configuration.jitter = { -0.9999 }
    configuration.schedule = { delay, fire in
      timers?.asyncAfter(deadline: .now() + (delay < .seconds(1) ? 0.001 : 600), execute: fire)
    }
    return SyncClient(configuration)
  }

  private var counter: DocumentName {
    DocumentName(database: database, path: ResourcePath(["counters", "c"]))
  }

  private func increment(_ number: Int) -> Write {
    Write(
      name: counter,
      operation: .update(.empty, mask: []),
      transforms: [
        FieldTransform(field: FieldPath(["n"]), operation: .increment(.integer(1))),
        FieldTransform(
          field: FieldPath(["order"]),
          operation: .appendMissingElements([.integer(Int64(number))])
        ),
      ]
    )
  }

  @Test(arguments: seeds(4, slow: 2_000))
  func `every write is applied once and in order, wherever the network was cut`(
    seed: UInt64
  ) async throws {
    let server = try BrasaServer.shared.get()
    let random = Mutex(SeededSource(seed: seed))
    let proxy = try CuttingProxy(to: server.port) { connection in
      connection < 24
        ? random.withLock { Int.random(in: 1..<1_500, using: &$0) } : nil
    }
    let client = client(port: proxy.port)
    let count = 60
    let failures = Mutex<[FirestoreFailure]>([])
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      client.perform { [self] client in
        for number in 0..<count {
          client.write([increment(number)]) { failure in
            if let failure { failures.withLock { $0.append(failure) } }
          }
        }
        client.waitForPendingWrites { _ in continuation.resume() }
      }
    }
    #expect(failures.withLock { $0 }.isEmpty)
    #expect(proxy.cutCount > 0)
    let direct = self.client(port: server.port)
    let name = counter
    let found = try await direct.call { transport, credentials in
      try await transport.documents([name], credentials)
    }
    let fields = try #require(found.first?.fields)
    #expect(fields.value(at: FieldPath(["n"])) == .integer(Int64(count)))
    let order = (0..<count).map { Value.integer(Int64($0)) }
    #expect(fields.value(at: FieldPath(["order"])) == .array(order))
    proxy.stop()
    client.perform { $0.terminate() }
    direct.perform { $0.terminate() }
  }

  @Test(arguments: seeds(3, slow: 1_000))
  func `a listener ends up with what the server has, wherever the network was cut`(
    seed: UInt64
  ) async throws {
    let server = try BrasaServer.shared.get()
    let random = Mutex(SeededSource(seed: seed))
    let proxy = try CuttingProxy(to: server.port) { connection in
      connection < 24
        ? random.withLock { Int.random(in: 1..<6_000, using: &$0) } : nil
    }
    let direct = client(port: server.port)
    let client = client(port: proxy.port)
    let query = try ListenQuery(Query(scope: .collection("items")))
    let (snapshots, continuation) = AsyncStream.makeStream(of: ViewSnapshot.self)
    client.perform { client in
      _ = client.listen(query, ListenOptions(includesMetadataChanges: true)) { result in
        if case .success(let snapshot) = result { continuation.yield(snapshot) }
      }
    }
    let count = 100
    let database = database
    direct.perform { client in
      for number in 0..<count { client.write([Self.item(number, database)]) { _ in } }
    }
    var last: ViewSnapshot?
    for await snapshot in snapshots {
      last = snapshot
      if snapshot.documents.count == count, !snapshot.isFromCache { break }
    }
    let numbers = last?.documents.compactMap { $0.fields?.value(at: FieldPath(["n"])) } ?? []
    #expect(Set(numbers) == Set((0..<count).map { .integer(Int64($0)) }))
    #expect(proxy.cutCount > 0)
    proxy.stop()
    client.perform { $0.terminate() }
    direct.perform { $0.terminate() }
  }

  /// As with a connection that the server closes as it is used again.
  @Test func `what a lost connection took along is sent on another, without a delay`() async throws
  {
    let server = try BrasaServer.shared.get()
    let proxy = try CuttingProxy(to: server.port) { $0 == 0 ? 1 : nil }
    let caller = client(port: proxy.port, timers: nil)
    let found = try await caller.call { [counter] transport, credentials in
      try await transport.documents([counter], credentials)
    }
    #expect(found.count == 1 && proxy.cutCount == 1)
    caller.perform { $0.terminate() }
    proxy.stop()
    let second = try CuttingProxy(to: server.port) { $0 == 0 ? 1 : nil }
    let listener = client(port: second.port, timers: nil)
    let query = try ListenQuery(Query(scope: .collection("items")))
    let (snapshots, continuation) = AsyncStream.makeStream(of: ViewSnapshot.self)
    listener.perform { client in
      _ = client.listen(query, ListenOptions(includesMetadataChanges: true)) { result in
        if case .success(let snapshot) = result { continuation.yield(snapshot) }
      }
    }
    let first = await snapshots.first { _ in true }
    #expect(first?.isFromCache == false && second.cutCount == 1)
    listener.perform { $0.terminate() }
    second.stop()
  }

  private static func item(_ number: Int, _ database: DatabaseID) -> Write {
    let map = MapValue([
      .init(key: "n", value: .integer(Int64(number))),
      .init(key: "text", value: .string(Text(String(repeating: "é", count: 50)))),
    ])
    return Write(
      name: DocumentName(
        database: database,
        path: ResourcePath(["items", Text("i\(number)")])
      ),
      operation: .update(DocumentFields(encoding: map), mask: nil)
    )
  }
}
