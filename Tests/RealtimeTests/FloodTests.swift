import BaseStatus
import Testing

@testable import Realtime

/// Clients that ask faster than anybody can answer.
@Suite struct FloodTests {
  @Test func `requests that nobody answers yet are bounded`() throws {
    let fixture = try HubFixture()
    let client = fixture.client()
    var sent = 0
    while client.state.isReading, sent < 10_000 {
      client.stream.remove(7)
      sent += 1
    }
    #expect(sent == 1_024)
    #expect(fixture.hub.step())
    // The database is looked up, and nothing answered.
    #expect(!client.state.isReading)
    fixture.settle()
    #expect(client.state.isReading)
    // Of large requests there may be fewer.
    let request = TargetRequest(id: 1, subject: .query(query("a")))
    client.stream.add(request, bytes: 1 << 20)
    #expect(!client.state.isReading)
    client.stream.refuse(2, ServiceError(.invalidArgument, "no"))
    fixture.settle()
    #expect(client.state.isReading)
    #expect(client.takeFrames() == ["-2 3", "+1", "=1", "."])
    try fixture.close()
  }

  @Test func `who reads too slowly is not read because his requests are answered`() async throws {
    let fixture = try HubFixture()
    let client = fixture.client()
    client.listen(query("a"))
    fixture.settle()
    client.change { $0.budget = 1 }
    try await fixture.commit(set("a/x", [:]))
    fixture.settle()
    #expect(!client.state.isReading)
    for _ in 0..<2_000 { client.stream.remove(7) }
    fixture.settle()
    #expect(!client.state.isReading)
    client.change { $0.budget = .max }
    client.stream.resume()
    fixture.settle()
    #expect(client.state.isReading)
    try fixture.close()
  }

  @Test(arguments: [nil, 3])
  func `targets that come and go before anybody can read leave nothing behind`(
    _ limit: Int?
  ) throws {
    let fixture = try HubFixture(configure: { $0.concurrentReads = 0 })
    let client = fixture.client()
    for round in 0..<5_000 {
      client.listen(query("a", where: equal("n", .integer(Int64(round))), limit: limit))
      client.stream.remove(1)
    }
    fixture.settle()
    let waiting = try #require(fixture.hub.statistics()["listen_reads_waiting"])
    #expect(waiting <= 1_030)
    #expect(fixture.hub.statistics()["listen_views"] == 0)
    try fixture.close()
  }
}
