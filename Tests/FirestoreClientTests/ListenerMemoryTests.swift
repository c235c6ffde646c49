import BaseText

#if os(Linux)
import FirestoreModel
import FirestoreSync
import Foundation
import Testing

@testable import FirestoreClient

/// Memory of listeners that were removed.
@Suite(.timeLimit(.minutes(10)))
struct ListenerMemoryTests {
  private static func client() -> SyncClient {
    SyncClient(
      SyncClientConfiguration(
        database: DatabaseID(project: Text("p"), database: Text("(default)")),
        transport: SilentTransport(),
        now: { Timestamp(microseconds: 1) },
        openStore: { (MemoryLocalStore(), "store") }
      )
    )
  }

  /// Adds listeners and removes each at once.
  private static func listen(_ count: Int, _ client: SyncClient) async {
    await withCheckedContinuation { continuation in
      client.perform { client in
        let query = ListenQuery(document: ResourcePath(["c", "a"]))
        for _ in 0..<count { client.unlisten(client.listen(query, ListenOptions()) { _ in }) }
        continuation.resume()
      }
    }
  }

  /// The process's pages in memory, as bytes.
  private static func memory() throws -> Int {
    let text = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
    let pages = text.split(separator: " ").dropFirst().first.flatMap { Int($0) }
    return try #require(pages) * 4_096
  }

  /// Each left the timer of an idle stream behind, for a minute: twenty thousand were 20 MB.
  @Test func `listeners that were removed leave nothing`() async {
    await #expect(processExitsWith: .success) {
      let client = Self.client()
      await Self.listen(1_000, client)
      let before = try Self.memory()
      await Self.listen(20_000, client)
      let growth = try Self.memory() - before
      precondition(growth < 6_000_000, "The process has grown by \(growth) bytes.")
    }
  }
}
#endif
