import Testing

@testable import FirebaseFirestore

/// Which fields a merge names.
struct MergeMaskTests {
  @Test func `leaves and empty maps are named, and nothing within arrays`() throws {
    let document = Coding.document("a/b")
    let data: [String: Any] = [
      "a": [["b": ["c": 1], "d": [String: Any]()]], "e": ["f": 1, "g": [String: Any]()],
    ]
    let write = try DataParser.merge(data, fields: nil, document.name, document.firestore)
    guard case .update(_, let mask) = write.operation else {
      Issue.record("\(write.operation)")
      return
    }
    #expect(mask?.map(\.canonicalString) == ["a", "e.f", "e.g"])
  }
}
