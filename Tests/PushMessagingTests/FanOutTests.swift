import FirestoreModel
import KeyValueStore
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
}
