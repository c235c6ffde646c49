import BaseText
import DocumentStore
import FirestoreModel
import KeyValueRocksDB
import KeyValueStore
import Testing

@testable import Realtime

@Suite struct RestartTests {
  @Test func `a token goes on after a restart, and nothing is sent again`() async throws {
    let scratch = Scratch()
    let first = try HubFixture(engine: RocksDBEngine(directory: scratch.path + "/db"))
    for number in 0..<20 {
      try await first.commit(set(ResourcePath(["a", Text("d\(number)")]), ["n": .integer(1)]))
    }
    let client = first.client()
    client.listen(query("a"))
    first.settle()
    let token = client.state.token
    try await first.commit(delete("a/d3"), set("a/d4", ["n": .integer(2)]))
    try first.close()
    #expect(client.state.error?.code == .unavailable)

    let second = try HubFixture(engine: RocksDBEngine(directory: scratch.path + "/db"))
    let again = second.client()
    again.listen(query("a"), from: .token(token))
    second.settle()
    #expect(again.takeFrames() == ["+1", "x a/d3 !1", "a/d4 1", "=1", "."])
    #expect(again.state.lastPoint >= client.state.lastPoint)
    let later = second.client()
    later.listen(query("a"), from: .token(again.state.token), expecting: 19)
    second.settle()
    #expect(later.takeFrames() == ["+1", "#1=19", "=1", "."])
    try second.close()
  }

  @Test func `a token of a quiet database outlives the retention, one of a busy database does not`()
    async throws
  {
    let time = ManualTime(startingAt: 1_700_000_000_000_000)
    let fixture = try HubFixture(
      engine: MemoryEngine(clock: time.clock),
      store: { $0.wallClock = time.clock }
    )
    func waitTwoHours() {
      time.advance(7_200_000_000)
      fixture.pass(7_200)
    }
    try await fixture.commit(set("a/x", [:]))
    let client = fixture.client()
    client.listen(query("a"))
    fixture.settle()
    let token = client.state.token
    client.stream.close()
    waitTwoHours()
    let second = fixture.client()
    second.listen(query("a"), from: .token(token))
    fixture.settle()
    #expect(second.takeFrames() == ["+1", "=1", "."])
    try await fixture.commit(set("a/y", [:]))
    waitTwoHours()
    try await fixture.commit(set("a/z", [:]))
    while try fixture.databases.performMaintenance() {}
    let third = fixture.client()
    third.listen(query("a"), from: .token(token))
    fixture.settle()
    #expect(third.takeFrames() == ["+1", "0 1", "a/x 1", "a/y 1", "a/z 1", "=1", "."])
    try fixture.close()
  }

  @Test func `many changes are found by asking twice`() async throws {
    let fixture = try HubFixture()
    func path(_ number: Int) -> ResourcePath { ResourcePath(["a", Text("d\(number)")]) }
    for start in stride(from: 0, to: 2_000, by: 400) {
      try await fixture.commit(
        (start..<start + 400).map { set(path($0), ["k": .integer(Int64($0 % 2))]) }
      )
    }
    let client = fixture.client()
    let even = query("a", where: equal("k", .integer(0)))
    client.listen(even)
    fixture.settle()
    #expect(client.contents().count == 1_000)
    let state = client.state
    for start in stride(from: 0, to: 1_200, by: 400) {
      try await fixture.commit(
        (start..<start + 400).map { set(path($0), ["k": .integer(Int64($0 % 3))]) }
      )
    }
    let second = fixture.client()
    second.change {
      $0.targets[1] = state.targets[1]
      $0.documents = state.documents
    }
    second.listen(even, from: .token(state.token), expecting: 1_000)
    fixture.settle()
    let expected = (0..<2_000).filter { $0 < 1_200 ? $0 % 3 == 0 : $0 % 2 == 0 }.map(path)
    #expect(Set(second.contents().keys) == Set(expected))
    #expect(second.state.mismatches == [])
    #expect(!second.takeFrames().contains("a/d1500 1"))
    try fixture.close()
  }
}
