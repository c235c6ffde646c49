import BaseText
import Testing

@testable import PushMessaging

/// Going through the registrations of a topic in steps.
@Suite struct FanOutTests {
  @Test func `a restart between steps neither loses nor doubles a delivery`() async throws {
    let fixture = MessagingFixture()
    let topic = try #require(TopicName("t"))
    var tokens: [String] = []
    for index in 0..<2_300 { tokens.append(try await fixture.register("f\(index)")) }
    let join = fixture.service.changeTopic
    for start in stride(from: 0, to: 2_300, by: 500) {
      _ = try await join(topic, Array(tokens[start..<min(start + 500, 2_300)]), "p", true)
    }
    let id = try await fixture.send("{\"topic\": \"t\"}")
    _ = try await fixture.service.changeTopic(
      topic,
      of: [try await fixture.register("late")],
      in: "p",
      subscribing: true
    )
    var steps = 0
    while try await fixture.service.stepFanOuts(steps: 1) {
      steps += 1
      fixture.restart()
    }
    #expect(steps >= 3)
    // Steps that are read while those before are written make the same of it.
    let whole = try await fixture.send("{\"topic\": \"t\"}")
    while try await fixture.service.stepFanOuts() {}
    let counts = try #require(try await fixture.service.report(whole, of: "p")).counts
    #expect(counts[.waiting] == 2_301)
    let report = try #require(try await fixture.service.report(id, of: "p"))
    #expect(report.counts[.waiting] == 2_300 && report.message.stage == .expanded)
    #expect(try fixture.differences().isEmpty)
  }

  /// Those whose installation's number is even.
  private struct EvenInstallations: MessageAudiences {
    func exists(_ audience: String, in project: Text) -> Bool { audience == "even" }

    func contains(_ installation: String, _ audience: String, in project: Text) -> Bool {
      Int(installation.dropFirst()).map { $0 % 2 == 0 } ?? false
    }
  }

  @Test func `a message to an audience goes to its installations alone, now or later`() async throws
  {
    let fixture = MessagingFixture(audiences: EvenInstallations())
    var tokens: [String] = []
    for index in 0..<5 { tokens.append(try await fixture.register("f\(index)")) }
    let ids = [
      try await fixture.send("{}", to: .audience("even")),
      try await fixture.schedule("{}", to: .audience("even"), after: 60),
    ]
    fixture.advance(seconds: 61)
    _ = try await fixture.service.releaseScheduled()
    while try await fixture.service.stepFanOuts() {}
    for id in ids {
      let report = try #require(try await fixture.service.report(id, of: "p"))
      #expect(report.message.target == .audience("even"))
      #expect(report.counts[.waiting] == 3)
      #expect(try await fixture.state(id, tokens[1]) == nil)
      #expect(try await fixture.state(id, tokens[4]) == .waiting)
    }
    await #expect(throws: MessagingError.self) {
      _ = try await fixture.send("{}", to: .audience("odd"))
    }
    #expect(try fixture.differences().isEmpty)
  }
}
