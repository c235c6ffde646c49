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
}
