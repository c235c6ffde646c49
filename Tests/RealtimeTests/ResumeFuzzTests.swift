import DocumentStore
import ModelTestSupport
import Testing

@testable import Realtime

/// A resume token is any bytes that a client likes to send.
@Suite struct ResumeFuzzTests {
  @Test func `resume tokens and counts`() async throws {
    let fixture = try HubFixture()
    try await fixture.commit(["c/x", "c/y"].map { set($0, ["n": .integer(1)]) })
    let first = fixture.client()
    first.listen(query("c"), 1)
    fixture.settle()
    let token = try #require(first.state.tokens[1])
    first.stream.close()
    try await fixture.commit(set("c/z", ["n": .integer(2)]))
    var client = fixture.client()
    var turn: Int32 = 0
    var fuzzer = Fuzzer("resume", slowCount: 20_000, examples: [token, token + [1, 2, 3, 4]])
    try fuzzer.run { input in
      turn += 1
      if turn.isMultiple(of: 50) {
        client.stream.close()
        client = fixture.client()
      }
      let counts = [nil, 0, 2, -1, Int.min, Int.max, Int(Int32.max)]
      client.listen(
        query("c", limit: turn.isMultiple(of: 2) ? nil : 2),
        turn % 40,
        from: .token(input),
        expecting: counts[Int(turn) % counts.count]
      )
      fixture.settle()
      client.stream.remove(turn % 40)
      fixture.settle()
      _ = client.takeFrames()
    }
    try fixture.close()
  }
}
