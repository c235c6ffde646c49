import FirebaseFirestore
import Foundation

// What goes beyond Google's API: twins that throw where calls trap, and writes that wait for the cache alone.

/// Every twin.
public func checks(_ firestore: Firestore, _ snapshot: QuerySnapshot) throws -> Query {
  try Firestore.check(app: firestore.app)
  try firestore.check()
  try firestore.check(settings: firestore.settings)
  let settings = FirestoreSettings()
  try FirestoreSettings.check(host: "localhost:8080")
  try settings.check(cacheSettings: PersistentCacheSettings())
  try PersistentCacheSettings.check(sizeBytes: 1_048_576)
  try MemoryLRUGCSettings.check(sizeBytes: 1_048_576)
  try TransactionOptions.check(maxAttempts: 3)
  try GeoPoint.check(latitude: 0, longitude: 0)
  try Timestamp.check(seconds: 0, nanoseconds: 0)
  try Timestamp.check(date: Date())
  try FieldPath.check(["a", "b"])
  try FieldPath.check("a.b")
  try FieldValue.check(arrayUnion: [1])
  try FieldValue.check(arrayRemove: [1])
  try Filter.whereField("a", isEqualTo: 1).check()
  try firestore.batch().check(forDocument: try firestore.document(at: "people/ana"))
  try snapshot.check(includeMetadataChanges: true)
  return try firestore.collectionGroup(at: "people").checking {
    $0.whereField("age", isGreaterThan: 18).order(by: "age").limit(toLast: 3)
  }
}

/// Writes that wait for the cache, and those of values that wait for the server.
public func save(_ person: Person, in people: CollectionReference) async throws {
  let document = try await people.addDocumentLocally(from: person)
  try await document.setDataLocally(["name": "Ana"], merge: true)
  try await document.setDataLocally(from: person)
  try await document.updateDataLocally(["name": "Bia"])
  try await document.deleteLocally()
  try await people.firestore.batch().setData(["a": 1], forDocument: document).commitLocally()
  try await document.setDataAsync(from: person, merge: true)
  print(try await people.addDocumentAsync(from: person).documentID)
}

/// Greatest and smallest numbers, nearest vectors, and pipelines.
public func newest(_ firestore: Firestore) async throws {
  let document = firestore.document("people/ana")
  try await document.updateData([
    "best": FieldValue.maximum(Int64(3)), "worst": FieldValue.minimum(0.5),
    "place": FieldValue.vector([0.5, 1]),
  ])
  let nearest = firestore.collection("people").findNearest(
    "place",
    to: FieldValue.vector([Float(0), 1]),
    limit: 3,
    distanceMeasure: .euclidean
  )
  print(try await nearest.getDocuments().map(\.documentID))
  let source: PipelineSource = firestore.pipeline()
  let pipeline: Pipeline = source.collection("people")
  do {
    let snapshot: Pipeline.Snapshot = try await pipeline.execute()
    print(snapshot.results.count)
  } catch FirestoreErrorCode.unimplemented {
    print("not here")
  }
}
