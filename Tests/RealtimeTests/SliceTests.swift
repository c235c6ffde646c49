import BaseRuntime
import BaseText
import DocumentStore
import FirestoreModel
import Testing

@testable import Realtime

/// Tests that the initial content of targets is read slice by slice, and not for streams that are
/// gone.
@Suite struct SliceTests {
  private static let count = 600
  private static let even = query("a", where: equal("k", .integer(0)))

  private static func path(_ number: Int) -> ResourcePath {
    ResourcePath(["a", Text("d\(number)")])
  }

  /// A collection half of whose documents are results, and a client's state that holds them.
  private static func told(_ fixture: HubFixture) async throws -> TestClient.State {
    for start in stride(from: 0, to: count, by: 200) {
      try await fixture.commit(
        (start..<start + 200).map { set(path($0), ["k": .integer(Int64($0 % 2))]) }
      )
    }
    let client = fixture.client()
    client.listen(even)
    fixture.settle()
    #expect(client.contents().count == count / 2)
    client.stream.close()
    fixture.settle()
    return client.state
  }

  /// Changes more than the change log is looked at for: a third of the documents are results then, others are gone.
  private static func change(_ fixture: HubFixture) async throws {
    for round in 5..<8 {
      try await fixture.commit((0..<count).map { set(path($0), ["k": .integer(Int64(round))]) })
    }
    try await fixture.commit(
      (0..<count).map {
        $0 % 5 == 0 ? delete(path($0)) : set(path($0), ["k": .integer(Int64($0 % 3))])
      }
    )
  }

  private static func resume(_ client: TestClient, _ state: TestClient.State) {
    client.change {
      $0.targets[1] = state.targets[1]
      $0.documents = state.documents
    }
    client.listen(even, from: .token(state.token), expecting: count / 2)
  }

  @Test(arguments: [7, 100, 20_000])
  func `a target goes on from a token in slices of any size`(steps: Int) async throws {
    let fixture = try HubFixture(configure: { $0.sliceSteps = steps })
    let state = try await Self.told(fixture)
    try await Self.change(fixture)
    let client = fixture.client()
    Self.resume(client, state)
    fixture.settle()
    let expected = (0..<Self.count).filter { $0 % 5 != 0 && $0 % 3 == 0 }.map(Self.path)
    #expect(Set(client.contents().keys) == Set(expected))
    #expect(client.state.mismatches == [])
    #expect(!client.takeFrames().contains("0 1"))
    try fixture.close()
  }

  @Test func `nothing is counted on for a stream that is gone`() async throws {
    let fixture = try HubFixture(configure: { $0.sliceSteps = 7 })
    let state = try await Self.told(fixture)
    try await Self.change(fixture)
    let client = fixture.client()
    Self.resume(client, state)
    // The database, the decision, then a slice at each step.
    for _ in 0..<12 { #expect(fixture.hub.step()) }
    client.stream.close()
    var steps = 0
    while fixture.hub.step() { steps += 1 }
    #expect(steps < 5)
    #expect(!client.takeFrames().contains("=1"))
    try fixture.close()
  }

  @Test func `a window is read in slices of any size`() async throws {
    let fixture = try HubFixture(configure: { $0.sliceSteps = 3 })
    _ = try await Self.told(fixture)
    let client = fixture.client()
    client.listen(query("a", where: equal("k", .integer(1)), limit: 40))
    fixture.settle()
    #expect(client.contents().count == 40)
    try await fixture.commit(client.contents().keys.sorted().prefix(35).map { delete($0) })
    fixture.settle()
    #expect(client.contents().count == 40)
    try fixture.close()
  }

  @Test func `where the names of a difference find no room everything is told anew`() async throws {
    var limits = ByteLedger.Limits()
    (limits.poolBytes, limits.anonymousPoolBytes) = (20_000, 20_000)
    (limits.anonymousAllowance, limits.trustedAllowance) = (0, 0)
    let ledger = ByteLedger(limits: limits)
    let fixture = try HubFixture(configure: { $0.sliceSteps = 50 })
    let state = try await Self.told(fixture)
    try await Self.change(fixture)
    let client = fixture.client(account: ledger.account(of: .ipv4(1)))
    Self.resume(client, state)
    fixture.settle()
    #expect(client.takeFrames().contains("0 1"))
    let expected = (0..<Self.count).filter { $0 % 5 != 0 && $0 % 3 == 0 }.map(Self.path)
    #expect(Set(client.contents().keys) == Set(expected))
    #expect(ledger.bytes(of: .listener) == 0)
    try fixture.close()
  }
}
