import FirebaseFirestore
import Foundation
import Testing

/// References, paths and field values.
struct ReferenceTests {
  private func firestore(_ project: String? = "shop") throws -> Firestore {
    let options = FirebaseOptions(googleAppID: "1:42:linux:ab", gcmSenderID: "42")
    options.projectID = project
    let name = "references-\(UUID().uuidString)"
    return Firestore.firestore(app: try FirebaseApp.configured(name: name, options: options))
  }

  @Test func `paths lead down and up`() throws {
    let firestore = try firestore()
    let document = firestore.collection("people").document("ana").collection("notes").document("n1")
    #expect(document.path == "people/ana/notes/n1" && document.documentID == "n1")
    #expect(document == firestore.document("people/ana/notes/n1"))
    #expect(document.hash == firestore.document("/people/ana/notes/n1/").hash)
    #expect(document.parent.collectionID == "notes" && document.parent.path == "people/ana/notes")
    #expect(document.parent.parent == firestore.document("people/ana"))
    #expect(firestore.collection("people").parent == nil)
    #expect(firestore.collection("people/ana/notes") == document.parent)
  }

  @Test func `new documents have ids of twenty letters and digits`() throws {
    let collection = try firestore().collection("people")
    let ids = Set((0..<100).map { _ in collection.document().documentID })
    #expect(ids.count == 100)
    #expect(ids.allSatisfy { $0.wholeMatch(of: #/[A-Za-z0-9]{20}/#) != nil })
  }

  @Test func `there is one object for an app and a database`() throws {
    let first = try firestore()
    #expect(Firestore.firestore(app: first.app) === first)
    let other = Firestore.firestore(app: first.app, database: "other")
    #expect(other !== first && other === Firestore.firestore(app: first.app, database: "other"))
    #expect(first.document("a/b") != other.document("a/b"))
    #expect(try firestore().document("a/b") != first.document("a/b"))
  }

  @Test func `paths that lead nowhere trap`() async {
    await #expect(processExitsWith: .failure) { _ = try Self.offline().collection("a/b") }
    await #expect(processExitsWith: .failure) { _ = try Self.offline().document("a") }
    await #expect(processExitsWith: .failure) { _ = try Self.offline().document("") }
    await #expect(processExitsWith: .failure) { _ = try Self.offline().document("a//b") }
    await #expect(processExitsWith: .failure) { _ = FieldPath([]) }
    await #expect(processExitsWith: .failure) { _ = FieldPath(["a", ""]) }
    await #expect(processExitsWith: .failure) { _ = GeoPoint(latitude: 90.1, longitude: 0) }
    await #expect(processExitsWith: .failure) { _ = GeoPoint(latitude: 0, longitude: .nan) }
    await #expect(processExitsWith: .failure) { _ = FieldValue.arrayUnion([[1]]) }
    await #expect(processExitsWith: .failure) { _ = FieldValue.arrayUnion([FieldValue.delete()]) }
  }

  @Test func `paths of people throw instead`() throws {
    let firestore = try firestore()
    #expect(try firestore.document(at: "a/b") == firestore.document("a/b"))
    #expect(try firestore.collection(at: "a").document(at: "b").collection(at: "c").path == "a/b/c")
    let failure = #expect(throws: FirestoreErrorCode.self) { try firestore.document(at: "a") }
    #expect(failure?.code == .invalidArgument)
    #expect(
      failure?.localizedDescription
        == "Invalid document reference. Document references must have an even number of segments, but "
        + "a has 1"
    )
    #expect(throws: FirestoreErrorCode.self) { try firestore.collection(at: "") }
    #expect(throws: FirestoreErrorCode.self) { try firestore.collection(at: "a//b") }
  }

  private static func offline() throws -> Firestore {
    let options = FirebaseOptions(googleAppID: "1:42:linux:ab", gcmSenderID: "42")
    options.projectID = "shop"
    return Firestore.firestore(app: try FirebaseApp.configured(options: options))
  }

  @Test func `field values are equal by what they do`() {
    #expect(FieldValue.delete() == FieldValue.delete())
    #expect(FieldValue.delete() != FieldValue.serverTimestamp())
    #expect(FieldValue.arrayUnion([1, "a"]) == FieldValue.arrayUnion([1, "a"]))
    #expect(FieldValue.arrayUnion([1]) != FieldValue.arrayRemove([1]))
    #expect(FieldValue.increment(Int64(1)) != FieldValue.increment(1.0))
    #expect(FieldValue.arrayUnion([true]) != FieldValue.arrayUnion([1]))
    #expect(FieldValue.vector([1.0, 2]) == VectorValue([1, 2]))
    #expect(
      FieldPath(["a", "b"]) == FieldPath(["a", "b"]) && FieldPath(["a.b"]) != FieldPath(["a", "b"])
    )
    #expect(FieldPath.documentID() == FieldPath.documentID())
  }

  @Test func `errors are caught by their code`() {
    let denied: any Error = FirestoreErrorCode(
      .permissionDenied,
      userInfo: [NSLocalizedDescriptionKey: "Missing or insufficient permissions."]
    )
    do {
      throw denied
    } catch FirestoreErrorCode.permissionDenied {
      #expect((denied as? FirestoreErrorCode)?.code == .permissionDenied)
    } catch {
      Issue.record("not caught by its code")
    }
    let error = denied as NSError
    #expect(error.domain == "FIRFirestoreErrorDomain" && error.code == 7)
    #expect(
      error.userInfo[NSLocalizedDescriptionKey] as? String == "Missing or insufficient permissions."
    )
    #expect(denied.localizedDescription == "Missing or insufficient permissions.")
    #expect(FirestoreErrorCode.Code(rawValue: error.code) == .permissionDenied)
  }
}
