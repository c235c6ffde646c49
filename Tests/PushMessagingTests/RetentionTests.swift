import FirestoreModel
import KeyValueStore
import Testing

@testable import PushMessaging

/// What is forgotten with time.
@Suite struct RetentionTests {
  private static let day: Int64 = 86_400
  private let fixture = MessagingFixture()

  private func maintain() throws {
    while try fixture.service.pruneStep() {}
    while try fixture.service.sweepRegistrationsStep() {}
  }

  @Test func `messages are kept for thirty days`() async throws {
    let token = try await fixture.register("f1")
    let id = try await fixture.send("{\"token\": \"\(token)\"}")
    fixture.advance(seconds: 29 * Self.day)
    while try await fixture.service.expireMessages() {}
    try maintain()
    #expect(try await fixture.state(id, token) == .expired)
    fixture.advance(seconds: 2 * Self.day)
    try maintain()
    #expect(try await fixture.service.report(id, of: "p") == nil)
    #expect(try await fixture.service.deliveries(of: id, in: "p", limit: 10).isEmpty)
    #expect(try fixture.differences().isEmpty)
  }

  @Test func `the counts of a message to many are kept for four hundred days`() async throws {
    let service = fixture.service
    let token = try await fixture.register("f1")
    let news = try #require(TopicName("news"))
    _ = try await service.changeTopic(news, of: [token], in: "p", subscribing: true)
    let id = try await fixture.send(
      """
      {"topic": "news", "notification": {"title": "Hi"}, "fcm_options": {"analytics_label": "l"}}
      """
    )
    while try await service.stepFanOuts() {}
    fixture.advance(seconds: 29 * Self.day)
    while try await service.expireMessages() {}
    fixture.advance(seconds: 2 * Self.day)
    try maintain()
    let report = try await service.report(id, of: "p")
    #expect(report?.counts[.direct, .expired] == 1)
    #expect(report?.message.stage == .summarized)
    #expect(report?.message.content.label == "l")
    #expect(report?.message.content.json["notification"] == nil)
    #expect(try await service.deliveries(of: id, in: "p", limit: 10).isEmpty)
    let newer = try await fixture.send("{\"token\": \"\(token)\"}")
    let listed = try await service.reports(of: "p", limit: 10)
    #expect(listed.map(\.message.id) == [newer, id])
    #expect(try await service.reports(of: "p", before: newer, limit: 10).map(\.message.id) == [id])
    #expect(try fixture.differences().isEmpty)
    fixture.advance(seconds: 370 * Self.day)
    while try await service.expireMessages() {}
    try maintain()
    #expect(try await service.report(id, of: "p") == nil)
    #expect(try fixture.differences().isEmpty)
  }

  @Test func `a registration that is not heard of ends and is forgotten later`() async throws {
    let token = try await fixture.register("f1")
    let heard = try await fixture.register("f2")
    fixture.advance(seconds: 200 * Self.day)
    let known = try await fixture.service.registration(of: heard, in: "p")
    _ = try await fixture.service.beginConnection(known, acknowledged: 0)
    fixture.advance(seconds: 71 * Self.day)
    try maintain()
    let service = fixture.service
    let ended = try? await service.registration(of: token, in: "p")
    #expect(ended == nil)
    #expect(try await service.registration(of: heard, in: "p").installation == "f2")
    let seen = try MessagingVerification.verify(service) { Issue.record("\($0)") }
    #expect(seen.registrations == 2)
    fixture.advance(seconds: 31 * Self.day)
    try maintain()
    let left = try MessagingVerification.verify(service) { Issue.record("\($0)") }
    #expect(left.registrations == 1)
  }
}
