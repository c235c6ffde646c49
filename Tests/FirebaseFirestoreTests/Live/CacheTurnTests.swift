import FirebaseCore
import Foundation
import Synchronization
import Testing

@testable import FirebaseFirestore

/// Clients and removals that come at a cache's file one after another.
@Suite(.timeLimit(.minutes(10)))
struct CacheTurnTests {
  private let mortal: MortalApp

  init() throws { mortal = try MortalApp() }

  private func firestore() throws -> Firestore { LiveFixture.firestore(of: try mortal.app()) }

  /// Holds a database's client until the gate opens.
  private static func hold(_ firestore: Firestore, _ gate: DispatchSemaphore) {
    firestore.client.perform { _ in gate.wait() }
  }

  /// Opens the gate when a database's client gets to it.
  private static func open(_ gate: DispatchSemaphore, _ firestore: Firestore) {
    firestore.client.perform { _ in gate.signal() }
  }

  @Test func `a client waits for the one before it, which has yet to open the file`() async throws {
    defer { mortal.remove() }
    for number in 0..<5 {
      let gate = DispatchSemaphore(value: 0)
      let first = try firestore()
      Self.hold(first, gate)
      first.disableNetwork(completion: nil)
      first.document("products/p\(number)").setData(["n": number], completion: nil)
      first.terminate(completion: nil)
      _ = await first.app.delete()
      let second = try firestore()
      Self.open(gate, second)
      try await second.disableNetwork()
      let seen = try await second.collection("products").getDocuments(source: .cache)
      #expect(seen.count == number + 1)
      try await second.terminate()
      _ = await second.app.delete()
    }
  }

  @Test func `a removal that was asked for before the first use leaves what follows alone`()
    async throws
  {
    defer { mortal.remove() }
    for number in 0..<5 {
      let first = try firestore()
      first.clearPersistence(completion: nil)
      try await first.disableNetwork()
      #expect(try await first.collection("products").getDocuments(source: .cache).isEmpty)
      first.document("products/p\(number)").setData(["n": number], completion: nil)
      try await first.terminate()
      _ = await first.app.delete()
      let second = try firestore()
      try await second.disableNetwork()
      let seen = try await second.collection("products").getDocuments(source: .cache)
      #expect(seen.documents.map(\.documentID) == ["p\(number)"])
      try await second.terminate()
      _ = await second.app.delete()
    }
  }

  @Test func `turns at a file wait for those that are about to end, and for no others`() {
    let file = URL(fileURLWithPath: "/turns/\(UUID().uuidString)")
    let log = Mutex<[String]>([])
    let (running, ending) = (CacheTurn.next(at: file), CacheTurn.next(at: file))
    ending.willEnd()
    // Nothing is waited for at another file.
    let other = CacheTurn.next(at: file.appendingPathExtension("other"))
    other.wait()
    other.end()
    let last = CacheTurn.next(at: file)
    DispatchQueue.global().async {
      log.withLock { $0.append("ends") }
      ending.end()
    }
    last.wait()
    log.withLock { $0.append("goes on") }
    #expect(log.withLock { $0 } == ["ends", "goes on"])
    running.end()
    last.end()
  }
}
