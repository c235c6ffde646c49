import BaseText
import FirestoreModel
import Testing

@testable import DocumentStore
@testable import Realtime

/// The commits that wait for the hub are bounded.
@Suite struct FeedTests {
  private static func document(_ number: Int, bytes: Int) -> Write {
    set(
      ResourcePath(["a", Text("d\(number)")]),
      ["t": .string(Text(String(repeating: "x", count: bytes)))]
    )
  }

  @Test func `what waits for the hub is counted until it is taken`() async throws {
    let fixture = try HubFixture()
    let client = fixture.client()
    client.listen(query("a"))
    fixture.settle()
    #expect(fixture.feed.bytes == 0)
    for number in 0..<5 { try await fixture.commit(Self.document(number, bytes: 1_000)) }
    #expect((5_000..<10_000).contains(fixture.feed.bytes))
    fixture.settle()
    #expect(fixture.feed.bytes == 0)
    #expect(client.contents().count == 5)
    try fixture.close()
  }

  @Test func `a commit that is told again is no news`() async throws {
    let fixture = try HubFixture()
    let client = fixture.client()
    client.listen(query("a"))
    fixture.settle()
    try await fixture.commit(Self.document(1, bytes: 10))
    fixture.settle()
    let told = fixture.feed.start()
    // With what came since, as an engine tells that could not tell all before.
    let commit = PublishedCommit(
      database: HubFixture.id,
      incarnation: try fixture.databases.database(HubFixture.id).incarnation,
      version: told,
      changes: [PublishedCommit.Change(path: ResourcePath(["a", "d1"]), old: nil, new: nil)]
    )
    let next = CommitVersion(microseconds: told.microseconds + 1)
    var count = 0
    fixture.feed.groupCommitted(through: next) {
      count += 1
      return [commit]
    }
    #expect(count == 1 && fixture.feed.bytes == 0)
    fixture.feed.groupCommitted(through: told) { [] }
    #expect(fixture.feed.start() == next)
    try fixture.close()
  }

  @Test func `a hub that has fallen behind sends everybody away, and goes on`() async throws {
    let fixture = try HubFixture(feedBytes: 20_000)
    let client = fixture.client()
    client.listen(query("a"))
    fixture.settle()
    for number in 0..<100 { try await fixture.commit(Self.document(number, bytes: 1_000)) }
    // One commit beyond the bound at most.
    #expect((20_000..<23_000).contains(fixture.feed.bytes))
    fixture.settle()
    #expect(client.state.hasEnded)
    #expect(client.state.error?.code == .unavailable)
    #expect(fixture.feed.bytes == 0)
    #expect(fixture.hub.statistics()["listen_feed_gaps_total"] == 1)
    let again = fixture.client()
    again.listen(query("a"))
    fixture.settle()
    #expect(again.contents().count == 100)
    try await fixture.commit(Self.document(100, bytes: 10))
    fixture.settle()
    #expect(again.contents().count == 101)
    #expect(!again.state.hasEnded)
    try fixture.close()
  }

  @Test func `random bursts never hold more than the bound, and listeners end up right`()
    async throws
  {
    let fixture = try HubFixture(feedBytes: 10_000)
    var random = SystemRandomNumberGenerator()
    var client = fixture.client()
    client.listen(query("a"))
    var written: Set<Int> = []
    for _ in 0..<60 {
      for _ in 0..<Int.random(in: 0..<12, using: &random) {
        let number = Int.random(in: 0..<200, using: &random)
        try await fixture.commit(
          Self.document(number, bytes: Int.random(in: 0..<2_000, using: &random))
        )
        written.insert(number)
        // The bound and one commit, whose document was and is.
        #expect(fixture.feed.bytes < 10_000 + 5_000)
      }
      fixture.settle()
      if client.state.hasEnded {
        client = fixture.client()
        client.listen(query("a"))
        fixture.settle()
      }
      #expect(client.contents().count == written.count)
    }
    try fixture.close()
  }
}
