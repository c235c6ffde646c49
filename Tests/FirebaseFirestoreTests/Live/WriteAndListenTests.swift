import FirebaseAuth
import FirebaseFirestore
import Foundation
import SDKTestSupport
import Testing

/// Writes, reads and listeners against the program.
@Suite(.timeLimit(.minutes(10)))
struct WriteAndListenTests {
  private let fixture: LiveFixture
  private var firestore: Firestore { fixture.firestore }

  init() throws { fixture = try LiveFixture() }

  private static func record(
    _ query: Query,
    includeMetadataChanges: Bool = true
  ) -> (Recorder<Told>, any ListenerRegistration) {
    let recorder = Recorder<Told>()
    let registration = query.addSnapshotListener(
      includeMetadataChanges: includeMetadataChanges
    ) { snapshot, _ in
      if let snapshot { recorder.record(Told(snapshot)) }
    }
    return (recorder, registration)
  }

  @Test func `a write is seen at once and confirmed later`() async throws {
    let products = firestore.collection("products")
    let (told, registration) = Self.record(products)
    let first = await told.first { !$0.isFromCache }
    #expect(first.ids.isEmpty)
    try await products.document("a").setData(["price": 1])
    let local = await told.next()
    #expect(local.description == "[\"a\"] [\"added a\"] pending" || local.changes == ["added a"])
    let confirmed = await told.first { !$0.hasPendingWrites }
    #expect(confirmed.ids == ["a"] && !confirmed.isFromCache)
    registration.remove()
  }

  @Test func `another client's changes arrive`() async throws {
    let products = firestore.collection("products")
    let other = try fixture.otherClient().collection("products")
    let (told, registration) = Self.record(products, includeMetadataChanges: false)
    _ = await told.next()
    try await other.document("a").setData(["price": 1])
    #expect(await told.next().changes == ["added a"])
    try await other.document("a").updateData(["price": 2])
    #expect(await told.next().changes == ["modified a"])
    try await other.document("a").delete()
    #expect(await told.next().changes == ["removed a"])
    registration.remove()
  }

  @Test func `what is written is read`() async throws {
    let document = firestore.document("people/ana")
    #expect(try await document.getDocument().exists == false)
    try await document.setData([
      "name": "Ana", "age": 30, "tags": ["a", "b"], "place": GeoPoint(latitude: 1, longitude: 2),
      "when": Timestamp(seconds: 5, nanoseconds: 1_000), "nothing": NSNull(), "score": 1.5,
      "bytes": Data([1, 2, 255]), "nested": ["x": ["y": true]], "text": "\"é\\\n😀\u{1}",
      "friend": firestore.document("people/bia"), "vector": FieldValue.vector([1.0, 2.0]),
      "made": FieldValue.serverTimestamp(),
    ])
    let other = try fixture.otherClient().document("people/ana")
    let data = try #require(try await other.getDocument(source: .server).data())
    #expect(data["name"] as? String == "Ana" && data["age"] as? Int == 30)
    #expect(data["tags"] as? [String] == ["a", "b"] && data["score"] as? Double == 1.5)
    #expect(data["place"] as? GeoPoint == GeoPoint(latitude: 1, longitude: 2))
    #expect(data["when"] as? Timestamp == Timestamp(seconds: 5, nanoseconds: 1_000))
    #expect(data["nothing"] is NSNull && data["bytes"] as? Data == Data([1, 2, 255]))
    #expect(((data["nested"] as? [String: Any])?["x"] as? [String: Any])?["y"] as? Bool == true)
    #expect(data["text"] as? String == "\"é\\\n😀\u{1}")
    #expect((data["friend"] as? DocumentReference)?.path == "people/bia")
    #expect(data["vector"] as? VectorValue == VectorValue([1, 2]))
    #expect(data["made"] is Timestamp)
  }

  @Test func `updates, merges and field values do what they say`() async throws {
    let document = firestore.document("counters/c")
    let missing = await firestoreFailure { try await document.updateData(["n": 1]) }
    #expect(missing?.code == .notFound)
    try await document.setData(["n": 1, "list": ["a"], "map": ["x": 1, "y": 2], "gone": true])
    try await document.updateData([
      "n": FieldValue.increment(Int64(4)), "list": FieldValue.arrayUnion(["b"]), "map.x": 9,
      "gone": FieldValue.delete(),
    ])
    try await document.setData(["map": ["z": 3], "empty": [String: Any]()], merge: true)
    try await document.setData(["n": 100, "other": 1], mergeFields: ["other"])
    let data = try #require(try await document.getDocument(source: .server).data())
    #expect(data["n"] as? Int == 5 && data["list"] as? [String] == ["a", "b"])
    #expect(data["map"] as? [String: Int] == ["x": 9, "y": 2, "z": 3])
    #expect(data["gone"] == nil && data["other"] as? Int == 1)
    #expect((data["empty"] as? [String: Any])?.isEmpty == true)
  }

  @Test func `queries find in order`() async throws {
    let products = firestore.collection("products")
    let batch = firestore.batch()
    for price in 1...5 {
      batch.setData(["price": price], forDocument: products.document("p\(price)"))
    }
    try await batch.commit()
    let other = try fixture.otherClient().collection("products")
    let cheap = try await other.whereField("price", isLessThan: 4)
      .order(by: "price", descending: true).getDocuments()
    #expect(cheap.documents.map(\.documentID) == ["p3", "p2", "p1"] && !cheap.metadata.isFromCache)
    let last = try await other.order(by: "price").limit(toLast: 2).getDocuments()
    #expect(last.documents.map(\.documentID) == ["p4", "p5"])
    let next = try await other.order(by: "price").start(afterDocument: cheap.documents[0])
      .limit(to: 1).getDocuments(source: .server)
    #expect(next.documents.map(\.documentID) == ["p4"])
    let aggregates = try await other.whereField("price", isGreaterThan: 1)
      .aggregate([.count(), .sum("price"), .average("price")]).getAggregation(source: .server)
    #expect(aggregates.count == 4 && aggregates.get(.sum("price")) as? Int == 14)
    #expect(aggregates.get(.average("price")) as? Double == 3.5)
    let missing = #expect(throws: NSError.self) { try aggregates.check(.sum("weight")) }
    #expect(missing?.localizedDescription.hasPrefix("'sum(weight)' was not requested") == true)
  }

  @Test func `transactions begin anew when others were faster`() async throws {
    let document = firestore.document("counters/c")
    try await document.setData(["n": 0])
    let other = try fixture.otherClient().document("counters/c")
    try await withThrowingTaskGroup(of: Void.self) { group in
      for client in [document, other] {
        for _ in 0..<3 { group.addTask { try await Self.increment(client) } }
      }
      try await group.waitForAll()
    }
    // By a transaction: a listener's stream that opens for ten seconds on a busy machine counts as offline.
    let count = try await firestore.runTransaction { transaction, failure in
      do {
        return try transaction.getDocument(document).get("n")
      } catch {
        failure?.pointee = error as NSError
        return nil
      }
    }
    #expect(count as? Int == 6)
  }

  private static func increment(_ document: DocumentReference) async throws {
    _ = try await document.firestore.runTransaction { transaction, failure in
      do {
        let count = try transaction.getDocument(document).get("n") as? Int ?? 0
        transaction.updateData(["n": count + 1], forDocument: document)
        return count
      } catch {
        failure?.pointee = error as NSError
        return nil
      }
    }
  }

  @Test func `offline writes are queued and sent later`() async throws {
    let products = firestore.collection("products")
    try await firestore.disableNetwork()
    products.document("a").setData(["price": 1], completion: nil)
    let cached = try await products.getDocuments()
    #expect(cached.documents.map(\.documentID) == ["a"] && cached.metadata.isFromCache)
    let refused = await firestoreFailure {
      _ = try await products.document("b").getDocument()
    }
    #expect(refused?.code == .unavailable)
    #expect(refused?.message == "Failed to get document because the client is offline.")
    try await firestore.enableNetwork()
    try await firestore.waitForPendingWrites()
    let other = try fixture.otherClient().collection("products")
    #expect(try await other.getDocuments(source: .server).count == 1)
  }

  @Test(.enabled(if: BrasaServer.isOurs))
  func `the signed-in user's token goes along`() async throws {
    let auth = Auth.auth(app: fixture.app)
    try await auth.signInAnonymously()
    try await firestore.document("a/b").setData(["x": 1])
    #expect(try await firestore.document("a/b").getDocument(source: .server).exists)
  }

  @Test func `snapshots are a sequence`() async throws {
    let products = firestore.collection("products")
    products.document("a").setData(["price": 1], completion: nil)
    for try await snapshot in products.snapshots(includeMetadataChanges: true)
    where !snapshot.metadata.hasPendingWrites && !snapshot.metadata.isFromCache {
      #expect(snapshot.documents.map(\.documentID) == ["a"])
      break
    }
  }
}
