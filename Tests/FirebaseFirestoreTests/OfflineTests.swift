import FirebaseFirestore
import Foundation
import Testing

/// Reads, bundles and listeners of a client that never reaches a server.
@Suite(.timeLimit(.minutes(10)))
struct OfflineTests {
  private static let project = "shop"
  private let firestore: Firestore

  init() async throws {
    let options = FirebaseOptions(googleAppID: "1:42:linux:ab", gcmSenderID: "42")
    options.projectID = Self.project
    // Nobody listens there.
    options.brasaHost = "http://127.0.0.1:1"
    let name = "offline-\(UUID().uuidString)"
    let app = try FirebaseApp.configured(name: name, options: options)
    firestore = LiveFixture.firestore(of: app)
    let settings = firestore.settings
    settings.cacheSettings = MemoryCacheSettings()
    firestore.settings = settings
    try await firestore.disableNetwork()
  }

  @Test func `an empty bundle has Google's code`() async {
    let failure = await firestoreFailure { _ = try await firestore.loadBundle(Data()) }
    #expect(failure?.code == .unknown)
  }

  @Test func `a cache in memory has no indexes, and a file's are one object`() throws {
    #expect(firestore.persistentCacheIndexManager == nil)
    let options = FirebaseOptions(googleAppID: "1:42:linux:ab", gcmSenderID: "42")
    options.projectID = Self.project
    options.brasaHost = "http://127.0.0.1:1"
    options.stateDirectory = FileManager.default.temporaryDirectory
      .appendingPathComponent("indexes-\(UUID().uuidString)")
    let app = try FirebaseApp.configured(name: "indexes-\(UUID().uuidString)", options: options)
    let other = LiveFixture.firestore(of: app)
    let manager = try #require(other.persistentCacheIndexManager)
    #expect(manager === other.persistentCacheIndexManager)
  }

  @Test func `a document is read as a value from the cache, with a callback`() async throws {
    struct Product: Codable { var name: String }
    let document = firestore.document("products/p")
    document.setData(["name": "Coffee"]) { _ in }
    let name = await withCheckedContinuation { continuation in
      document.getDocument(as: Product.self, source: .cache) { result in
        continuation.resume(returning: (try? result.get())?.name)
      }
    }
    #expect(name == "Coffee")
  }

  // MARK: Sources

  @Test func `a document that is not known is an error of every source`() async {
    let document = firestore.document("products/a")
    let offline = "Failed to get document because the client is offline."
    for source in [FirestoreSource.default, .server] {
      let failure = await firestoreFailure { _ = try await document.getDocument(source: source) }
      #expect(failure?.code == .unavailable && failure?.message == offline)
    }
    let cached = await firestoreFailure { _ = try await document.getDocument(source: .cache) }
    let text =
      "Failed to get document from cache. (However, this document may exist on the server. Run again "
      + "without setting source to FirestoreSourceCache"
    #expect(cached?.code == .unavailable && cached?.message.hasPrefix(text) == true)
  }

  @Test func `what the cache has is not the server's`() async throws {
    let document = firestore.document("products/a")
    document.setData(["price": 1], completion: nil)
    let known = try await document.getDocument(source: .cache)
    #expect(known.exists && known.metadata.isFromCache && known.metadata.hasPendingWrites)
    let one = await firestoreFailure { _ = try await document.getDocument(source: .server) }
    let oneText =
      "Failed to get document from server. (However, this document does exist in the local cache."
    #expect(one?.code == .unavailable && one?.message.hasPrefix(oneText) == true)
    let products = firestore.collection("products")
    let all = await firestoreFailure { _ = try await products.getDocuments(source: .server) }
    let allText =
      "Failed to get documents from server. (However, these documents may exist in the local cache."
    #expect(all?.code == .unavailable && all?.message.hasPrefix(allText) == true)
    #expect(try await products.getDocuments(source: .cache).count == 1)
    #expect(try await firestore.collection("none").getDocuments(source: .cache).isEmpty)
    let count = await firestoreFailure {
      _ = try await products.count.getAggregation(source: .server)
    }
    #expect(count?.code == .unavailable && count?.message == "Failed to get result from server.")
  }

  @Test func `a document that is missing has no pending writes`() async throws {
    let document = firestore.document("products/a")
    document.setData(["price": 1], completion: nil)
    document.delete(completion: nil)
    for source in [FirestoreSource.cache, .default] {
      let snapshot = try await document.getDocument(source: source)
      #expect(!snapshot.exists && !snapshot.metadata.hasPendingWrites)
    }
  }

  // MARK: The end

  @Test func `whoever waits for the server hears of the end`() async {
    let told = Recorder<String>()
    let note: @Sendable (String, (any Error)?) -> Void = { name, error in
      let error = error.map { $0 as NSError }
      told.record("\(name) \(error?.code ?? 0) \(error?.localizedDescription ?? "")")
    }
    let document = firestore.document("products/a")
    document.setData(["price": 1]) { note("write", $0) }
    firestore.waitForPendingWrites { note("waiting", $0) }
    firestore.terminate { note("end", $0) }
    #expect(await told.next() == "write 1 The client was terminated.")
    #expect(await told.next() == "waiting 1 The client was terminated.")
    #expect(await told.next() == "end 0 ")
  }

  // MARK: Listeners

  @Test func `a listener hears when all others have been told`() async throws {
    let products = firestore.collection("products")
    let told = Recorder<String>()
    let snapshots = products.addSnapshotListener { snapshot, _ in
      told.record("snapshot of \(snapshot?.count ?? -1)")
    }
    #expect(await told.next() == "snapshot of 0")
    let inSync = firestore.addSnapshotsInSyncListener { told.record("in sync") }
    #expect(await told.next() == "in sync")
    products.document("a").setData(["price": 1], completion: nil)
    #expect(await told.next() == "snapshot of 1")
    #expect(await told.next() == "in sync")
    inSync.remove()
    products.document("b").setData(["price": 2], completion: nil)
    #expect(await told.next() == "snapshot of 2")
    products.document("c").setData(["price": 3], completion: nil)
    #expect(await told.next() == "snapshot of 3")
    snapshots.remove()
  }

  // MARK: Bundles

  /// Two products and the query for the cheaper one.
  private static func bundle(id: String = "products") -> Data {
    let documents = "projects/\(project)/databases/(default)/documents"
    let time = "2026-01-02T03:04:05Z"
    var elements = [
      """
      {"namedQuery":{"name":"cheap","readTime":"\(time)","bundledQuery":{"parent":"\(documents)",\
      "limitType":"LAST","structuredQuery":{"from":[{"collectionId":"products"}],"limit":1,\
      "orderBy":[{"field":{"fieldPath":"price"},"direction":"DESCENDING"}]}}}}
      """
    ]
    for (name, price) in [("chair", 49), ("lamp", 20)] {
      let path = "\(documents)/products/\(name)"
      let queries = name == "lamp" ? #""queries":["cheap"],"# : ""
      elements.append(
        #"{"documentMetadata":{"name":"\#(path)",\#(queries)"readTime":"\#(time)","exists":true}}"#
      )
      elements.append(
        """
        {"document":{"name":"\(path)","createTime":"\(time)","updateTime":"\(time)",\
        "fields":{"price":{"integerValue":"\(price)"}}}}
        """
      )
    }
    let body = elements.map { "\($0.utf8.count)\($0)" }.joined()
    let head =
      #"{"metadata":{"id":"\#(id)","createTime":"\#(time)","version":1,"totalDocuments":2,"#
      + #""totalBytes":"\#(body.utf8.count)"}}"#
    return Data("\(head.utf8.count)\(head)\(body)".utf8)
  }

  @Test func `a bundle brings documents and named queries`() async throws {
    let bundle = Self.bundle()
    let progress = try await firestore.loadBundle(bundle)
    #expect(progress.state == .success && progress.documentsLoaded == 2)
    #expect(progress.totalDocuments == 2 && progress.bytesLoaded == progress.totalBytes)
    let all = try await firestore.collection("products").getDocuments(source: .cache)
    #expect(all.documents.map(\.documentID) == ["chair", "lamp"])
    let query = try #require(await firestore.getQuery(named: "cheap"))
    let cheap = try await query.getDocuments()
    #expect(cheap.documents.map(\.documentID) == ["lamp"] && cheap.metadata.isFromCache)
    #expect(cheap.documents.first?.data()["price"] as? Int == 20)
    #expect(await firestore.getQuery(named: "dear") == nil)
    // It is known by its id and time.
    #expect(try await firestore.loadBundle(bundle).state == .success)
    let named = await withCheckedContinuation { continuation in
      firestore.getQuery(named: "cheap") { continuation.resume(returning: $0) }
    }
    #expect(named == query)
  }

  @Test func `a bundle that is cut is an error`() async throws {
    let told = Recorder<LoadBundleTaskState>()
    let failed = Recorder<Bool>()
    let task = firestore.loadBundle(Self.bundle().dropLast(9)) { progress, error in
      failed.record(progress == nil && error != nil)
    }
    task.addObserver { told.record($0.state) }
    var state = await told.next()
    while state == .inProgress { state = await told.next() }
    #expect(state == .error)
    #expect(await failed.next())
    #expect(await firestore.getQuery(named: "cheap") == nil)
  }

  @Test func `an observer is told of each document of a bundle, then the end`() async throws {
    let told = Recorder<LoadBundleTaskProgress>()
    let queue = firestore.settings.dispatchQueue
    queue.suspend()
    let task = firestore.loadBundle(Self.bundle(), completion: nil)
    task.addObserver { told.record($0) }
    queue.resume()
    for documents in 0...2 {
      let progress = await told.next()
      #expect(progress.state == .inProgress && progress.documentsLoaded == documents)
      #expect(progress.totalDocuments == 2 && progress.bytesLoaded <= progress.totalBytes)
    }
    let last = await told.next()
    #expect(last.state == .success && last.bytesLoaded == last.totalBytes)
    let late = Recorder<LoadBundleTaskProgress>()
    task.addObserver { late.record($0) }
    #expect(await late.next() == last)
    #expect(told.rest.isEmpty)
  }

  // MARK: Local writes

  private struct Product: Codable, Equatable {
    var name: String
    var price: Int
  }

  @Test func `a write is awaited until the cache has it, without a network`() async throws {
    let products = firestore.collection("products")
    let chair = Product(name: "chair", price: 49)
    let document = try await products.addDocumentLocally(from: chair)
    #expect(try await document.getDocument(as: Product.self, source: .cache) == chair)
    try await document.setDataLocally(["price": 50], merge: true)
    try await document.updateDataLocally(["name": "stool"])
    let stool = Product(name: "stool", price: 50)
    #expect(try await document.getDocument(as: Product.self, source: .cache) == stool)
    try await firestore.batch().deleteDocument(document)
      .setData(["price": 1], forDocument: products.document("a")).commitLocally()
    #expect(try await !document.getDocument(source: .cache).exists)
    #expect(try await products.getDocuments(source: .cache).count == 1)
    try await products.document("a").deleteLocally()
    #expect(try await products.getDocuments(source: .cache).isEmpty)
  }

  @Test func `greatest and smallest numbers are seen before the server's`() async throws {
    let document = firestore.document("products/a")
    try await document.setDataLocally(["best": 3, "worst": 3])
    try await document.updateDataLocally([
      "best": FieldValue.maximum(Int64(5)), "worst": FieldValue.minimum(Int64(5)),
    ])
    try await document.updateDataLocally([
      "best": FieldValue.maximum(4.5), "worst": FieldValue.minimum(0.5),
    ])
    let data = try await document.getDocument(source: .cache).data() ?? [:]
    #expect(data["best"] as? Int == 5 && data["worst"] as? Double == 0.5)
  }

  // MARK: The end

  @Test func `loops over snapshots end with the client`() async throws {
    let (documents, results) = (Recorder<Bool>(), Recorder<Int>())
    let firestore = firestore
    let one = Task { try await Self.follow(firestore.document("products/a"), documents) }
    let all = Task { try await Self.follow(firestore.collection("products"), results) }
    #expect(await documents.next() == false)
    #expect(await results.next() == 0)
    try await firestore.terminate()
    #expect(try await one.value == 1)
    #expect(try await all.value == 1)
  }

  private static func follow(
    _ document: DocumentReference,
    _ told: Recorder<Bool>
  ) async throws -> Int {
    var count = 0
    for try await snapshot in document.snapshots {
      count += 1
      told.record(snapshot.exists)
    }
    return count
  }

  private static func follow(_ query: Query, _ told: Recorder<Int>) async throws -> Int {
    var count = 0
    for try await snapshot in query.snapshots {
      count += 1
      told.record(snapshot.count)
    }
    return count
  }

  // MARK: What is not there

  @Test func `pipelines are refused`() async {
    let pipelines = [
      firestore.pipeline().collection("products"), firestore.pipeline().database(),
      firestore.pipeline().create(from: firestore.collection("products").limit(to: 1)),
    ]
    for pipeline in pipelines {
      let failure = await firestoreFailure { _ = try await pipeline.execute() }
      #expect(failure?.code == .unimplemented)
      #expect(failure?.message.contains("not supported by Brasa") == true)
    }
  }
}
