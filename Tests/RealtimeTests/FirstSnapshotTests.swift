import BaseText
import DocumentStore
import FirestoreModel
import Testing

@testable import Realtime

@Suite struct FirstSnapshotTests {
  @Test func `a query begins with its documents, is current and then consistent`() async throws {
    let fixture = try HubFixture()
    try await fixture.commit(set("a/x", ["n": .integer(1)]), set("b/z", [:]))
    let client = fixture.client()
    client.listen(query("a"))
    fixture.settle()
    #expect(client.takeFrames() == ["+1", "a/x 1", "=1", "."])
    try await fixture.commit(set("a/y", ["n": .integer(2)]))
    fixture.settle()
    #expect(client.takeFrames() == ["a/y 1", "."])
    try await fixture.commit(delete("a/x"), set("b/z", ["k": .null]))
    fixture.settle()
    #expect(client.takeFrames() == ["x a/x !1", "."])
    try fixture.close()
  }

  @Test(arguments: [0, 120])
  func `an index that is ready is used by who listens at once`(documents: Int) async throws {
    let fixture = try HubFixture { _ in
    } store: { store in
      store.requireIndexes = true
    }
    try await fixture.commit(set("other/x", [:]))
    for number in 0..<documents {
      try await fixture.commit(
        set(ResourcePath(["a", Text("d\(number)")]), ["k": .integer(1), "n": .integer(2)])
      )
    }
    let database = try fixture.databases.database(HubFixture.id)
    try database.declareIndex(
      IndexDefinition(
        collectionID: "a",
        scope: .collection,
        fields: [IndexedField("k", .ascending), IndexedField("n", .ascending)]
      )
    )
    while try database.performIndexMaintenance() {}
    let client = fixture.client()
    client.listen(query("a", where: .field("k", .equal, .integer(1)), order: [Order("n")]))
    fixture.settle()
    #expect(client.state.error == nil)
    #expect(client.takeFrames().last == ".")
    #expect(client.contents().count == documents)
    try fixture.close()
  }
}
