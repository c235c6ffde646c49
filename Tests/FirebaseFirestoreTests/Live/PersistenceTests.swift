import FirebaseAuth
import FirebaseFirestore
import Foundation
import SDKTestSupport
import Testing

/// Tests of the state that the cache in a file keeps, against the program.
@Suite(.timeLimit(.minutes(10)))
struct PersistenceTests {
  private let mortal: MortalApp

  init() throws { mortal = try MortalApp() }

  private func firestore(name: String? = nil) throws -> Firestore {
    LiveFixture.firestore(of: try mortal.app(name: name))
  }

  /// Ends the app in this process, so that it can start again.
  private func end(_ firestore: Firestore) async throws {
    try await firestore.terminate()
    _ = await firestore.app.delete()
  }

  /// Returns the server's state of a counter, by a client without a past.
  private func counter(_ run: String) async throws -> Counter {
    let firestore = try firestore(name: "other-\(UUID().uuidString)")
    let counter = Counter(
      try await firestore.document("counters/\(run)").getDocument(source: .server)
    )
    try await end(firestore)
    return counter
  }

  @Test func `what was written offline before a kill is there after it, and arrives once`()
    async throws
  {
    defer { mortal.remove() }
    try mortal.runAndKill(run: "a", online: false, count: 20, after: 20)
    let firestore = try firestore()
    try await firestore.disableNetwork()
    let told = Recorder<(Told, Counter?)>()
    let registration = firestore.collection("counters").addSnapshotListener { snapshot, _ in
      if let snapshot {
        told.record((Told(snapshot), snapshot.documents.first.map { Counter($0) }))
      }
    }
    let (first, queued) = await told.next()
    #expect(first.ids == ["a"] && first.isFromCache && first.hasPendingWrites)
    #expect(queued?.isExact == true && queued?.count == 20)
    registration.remove()
    try await firestore.enableNetwork()
    try await firestore.waitForPendingWrites()
    let arrived = try await counter("a")
    #expect(arrived.isExact && arrived.count == 20)
    try await end(firestore)
  }

  /// Google's emulator applies a batch again whose acknowledgement was lost: it does not know batches by their labels.
  @Test(.enabled(if: BrasaServer.isOurs))
  func `processes killed amid their sending lose nothing and repeat nothing`() async throws {
    defer { mortal.remove() }
    var accepted: [String: Int] = [:]
    for run in 0..<4 {
      let count = Int.random(in: 1...40)
      accepted["r\(run)"] = count
      try mortal.runAndKill(run: "r\(run)", online: true, count: 1_000, after: count)
    }
    let firestore = try firestore()
    try await firestore.waitForPendingWrites()
    for (run, count) in accepted {
      let arrived = try await counter(run)
      #expect(arrived.isExact && arrived.count >= count, "\(run): \(arrived), accepted \(count)")
    }
    try await end(firestore)
  }

  @Test func `what was read is there after a restart, without a network`() async throws {
    defer { mortal.remove() }
    let first = try firestore()
    try await first.document("products/a").setData(["price": 1])
    try await first.document("products/b").setData(["price": 2])
    let products = first.collection("products").whereField("price", isGreaterThan: 1)
    #expect(try await products.getDocuments(source: .server).documents.map(\.documentID) == ["b"])
    try await end(first)
    let second = try firestore()
    try await second.disableNetwork()
    let cached = try await second.collection("products").order(by: "price").getDocuments()
    #expect(cached.documents.map(\.documentID) == ["a", "b"])
    #expect(cached.metadata.isFromCache && !cached.metadata.hasPendingWrites)
    #expect(try await second.document("products/b").getDocument().get("price") as? Int == 2)
    try await end(second)
  }

  @Test func `a client that follows at once has the file of the one that was told to end`()
    async throws
  {
    defer { mortal.remove() }
    for number in 0..<5 {
      let firestore = try firestore()
      try await firestore.disableNetwork()
      let seen = try await firestore.collection("products").getDocuments(source: .cache)
      #expect(seen.count == number)
      firestore.document("products/p\(number)").setData(["n": number], completion: nil)
      // Neither waits until the file is closed.
      firestore.terminate(completion: nil)
      _ = await firestore.app.delete()
    }
  }

  @Test func `databases and apps have caches of their own`() async throws {
    defer { mortal.remove() }
    let app = try mortal.app()
    let clients = [
      LiveFixture.firestore(of: app), LiveFixture.firestore(of: app, database: "other"),
      try firestore(name: "second-\(mortal.project)"),
    ]
    for (number, client) in clients.enumerated() {
      try await client.disableNetwork()
      client.document("products/p\(number)").setData(["n": number], completion: nil)
    }
    for (number, client) in clients.enumerated() {
      let seen = try await client.collection("products").getDocuments(source: .cache)
      #expect(seen.documents.map(\.documentID) == ["p\(number)"])
    }
    try await clients[1].enableNetwork()
    try await clients[1].waitForPendingWrites()
    let arrived = try await clients[1].collection("products").getDocuments(source: .server)
    #expect(arrived.documents.map(\.documentID) == ["p1"])
    for client in clients { try await client.terminate() }
    _ = await app.delete()
    _ = await clients[2].app.delete()
  }

  @Test
  func `beside a process that has the file the cache is in memory, and the file is left alone`()
    async throws
  {
    defer { mortal.remove() }
    let process = try mortal.start(run: "a", online: false, count: 3, until: 3)
    let second = try firestore()
    let cleared = await firestoreFailure { try await second.clearPersistence() }
    #expect(cleared?.code == .failedPrecondition)
    #expect(cleared?.message.contains("is in use by another process") == true)
    #expect(try await second.document("counters/a").getDocument(source: .server).exists == false)
    try await second.document("counters/b").setData(["n": 1])
    try await end(second)
    MortalApp.end(process)
    let third = try firestore()
    try await third.waitForPendingWrites()
    let arrived = try await counter("a")
    #expect(arrived.isExact && arrived.count == 3)
    try await end(third)
  }

  @Test func `a cleared cache is empty, and a running one cannot be cleared`() async throws {
    defer { mortal.remove() }
    let first = try firestore()
    try await first.disableNetwork()
    first.document("products/a").setData(["price": 1], completion: nil)
    let refused = await firestoreFailure { try await first.clearPersistence() }
    #expect(refused?.code == .failedPrecondition)
    #expect(refused?.message == "Persistence cannot be cleared while the client is running.")
    // Waits for the end of the client by itself.
    first.terminate(completion: nil)
    try await first.clearPersistence()
    #expect(!FileManager.default.fileExists(atPath: first.cacheFile.path))
    _ = await first.app.delete()
    let second = try firestore()
    try await second.clearPersistence()
    try await second.disableNetwork()
    #expect(try await second.collection("products").getDocuments().isEmpty)
    try await end(second)
  }

  @Test(arguments: [false, true])
  func `a cache in memory leaves no file`(collectsEagerly: Bool) async throws {
    defer { mortal.remove() }
    let firestore = try firestore()
    let settings = firestore.settings
    settings.cacheSettings =
      collectsEagerly
      ? MemoryCacheSettings(garbageCollectorSettings: MemoryEagerGCSetting())
      : MemoryCacheSettings()
    firestore.settings = settings
    try await firestore.disableNetwork()
    firestore.document("products/a").setData(["price": 1], completion: nil)
    #expect(try await firestore.collection("products").getDocuments(source: .cache).count == 1)
    #expect(!FileManager.default.fileExists(atPath: firestore.cacheFile.path))
    try await end(firestore)
  }

  @Test func `a damaged file is replaced, and the app goes on`() async throws {
    defer { mortal.remove() }
    let first = try firestore()
    try await first.document("products/a").setData(["price": 1])
    try await end(first)
    try Data(repeating: 0x41, count: 20_000).write(to: first.cacheFile)
    let second = try firestore()
    #expect(try await second.collection("products").getDocuments().count == 1)
    try await end(second)
    let third = try firestore()
    try await third.disableNetwork()
    #expect(try await third.collection("products").getDocuments().count == 1)
    try await end(third)
  }

  @Test(.enabled(if: BrasaServer.isOurs))
  func `a user's queued writes wait for that user over restarts`() async throws {
    defer { mortal.remove() }
    let first = try firestore()
    let auth = Auth.auth(app: first.app)
    let user = try await auth.signInAnonymously().user
    try await first.disableNetwork()
    first.document("notes/mine").setData(["owner": user.uid], completion: nil)
    #expect(try await first.collection("notes").getDocuments().count == 1)
    try await end(first)
    let second = try firestore()
    try await second.disableNetwork()
    #expect(Auth.auth(app: second.app).currentUser?.uid == user.uid)
    #expect(try await second.collection("notes").getDocuments().count == 1)
    try await second.enableNetwork()
    try await second.waitForPendingWrites()
    let arrived = try await second.document("notes/mine").getDocument(source: .server)
    #expect(arrived.get("owner") as? String == user.uid)
    try await end(second)
  }
}
