import FirebaseFirestore
import Foundation
import Testing

/// Searches for the nearest vectors, computed by the server.
@Suite(.timeLimit(.minutes(10)))
struct NearestTests {
  private static func filled() async throws -> CollectionReference {
    let places = try LiveFixture().firestore.collection("places")
    let vectors: [(String, [Double], Bool)] = [
      ("here", [0, 0], true), ("near", [1, 0], true), ("shut", [1, 1], false),
      ("far", [9, 9], true),
    ]
    let batch = places.firestore.batch()
    for (id, vector, isOpen) in vectors {
      batch.setData(
        ["at": FieldValue.vector(vector), "open": isOpen],
        forDocument: places.document(id)
      )
    }
    batch.setData(["open": true], forDocument: places.document("nowhere"))
    try await batch.commit()
    return places
  }

  @Test func `the nearest come first, with their distances`() async throws {
    let places = try await Self.filled()
    let nearest = places.findNearest(
      "at",
      to: VectorValue([0, 0]),
      limit: 3,
      distanceMeasure: .euclidean,
      distanceResultField: "distance"
    )
    let found = try await nearest.getDocuments()
    #expect(found.map(\.documentID) == ["here", "near", "shut"])
    let distances = found.compactMap { $0["distance"] as? Double }
    #expect(distances == [0, 1, 2.0.squareRoot()])
    #expect(found.first?["at"] as? VectorValue == VectorValue([0, 0]))
  }

  @Test func `filters and thresholds apply`() async throws {
    let places = try await Self.filled()
    let nearest = places.whereField("open", isEqualTo: true).findNearest(
      "at",
      to: FieldValue.vector([0.0, 0]),
      limit: 10,
      distanceMeasure: .euclidean,
      distanceThreshold: 5
    )
    #expect(try await nearest.getDocuments().map(\.documentID) == ["here", "near"])
  }

  @Test func `a vector of another length is refused by the server`() async throws {
    let places = try await Self.filled()
    let none = places.findNearest("at", to: VectorValue([]), limit: 1, distanceMeasure: .cosine)
    let failure = await firestoreFailure { _ = try await none.getDocuments() }
    #expect(failure?.code == .invalidArgument)
  }
}
