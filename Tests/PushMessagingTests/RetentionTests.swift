import Testing

@testable import PushMessaging

/// Tests of the data that is removed with time.
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

  @Test func `a scheduled message is kept for thirty days from its time`() async throws {
    let token = try await fixture.register("f1", uid: "ana")
    let id = try await fixture.schedule("{}", to: .user("ana"), after: 40 * Self.day)
    fixture.advance(seconds: 41 * Self.day)
    while try await fixture.service.releaseScheduled() {}
    try await fixture.acknowledge(Receipts(sequence: 1), token)
    fixture.advance(seconds: 28 * Self.day + 10)
    while try await fixture.service.expireMessages() {}
    try maintain()
    #expect(try await fixture.state(id, token) == .acknowledged)
    fixture.advance(seconds: 3 * Self.day)
    try maintain()
    #expect(try await fixture.service.report(id, of: "p") == nil)
    #expect(try fixture.differences().isEmpty)
  }

  @Test func `many messages expire and go in few steps`() async throws {
    var tokens: [String] = []
    for number in 0..<20 { tokens.append(try await fixture.register("f\(number)")) }
    let news = try #require(TopicName("news"))
    _ = try await fixture.service.changeTopic(news, of: tokens, in: "p", subscribing: true)
    for _ in 0..<60 {
      _ = try await fixture.send(#"{"topic": "news", "android": {"ttl": "60s"}}"#)
    }
    while try await fixture.service.stepFanOuts() {}
    // Browsers and Apple would have 28 days.
    fixture.advance(seconds: 29 * Self.day)
    var steps = 0
    while try await fixture.service.expireMessages() { steps += 1 }
    #expect((2...5).contains(steps))
    #expect(try fixture.differences().isEmpty)
    fixture.advance(seconds: 2 * Self.day)
    steps = 0
    while try fixture.service.pruneStep() { steps += 1 }
    #expect((2...6).contains(steps))
    let seen = try MessagingVerification.verify(fixture.service) { Issue.record("\($0)") }
    #expect(seen.deliveries == 0)
    #expect(try await fixture.service.reports(of: "p", limit: 100).count == 60)
  }

  @Test func `receipts and tokens of installations keep a registration`() async throws {
    let tokens = [
      try await fixture.register("f1"), try await fixture.register("f2"),
      try await fixture.register("f3"),
    ]
    let renewed = try await fixture.service.registration(of: tokens[0], in: "p").renewed
    fixture.advance(seconds: 200 * Self.day)
    try await fixture.acknowledge(Receipts(sequence: 0, received: ["0:1"]), tokens[0])
    try await fixture.service.hear(installation: "f2", of: "p")
    fixture.advance(seconds: 71 * Self.day)
    try maintain()
    for token in tokens[..<2] {
      // What a push service says of an address counts from when the app said it.
      #expect(try await fixture.service.registration(of: token, in: "p").renewed == renewed)
    }
    let ended = try? await fixture.service.registration(of: tokens[2], in: "p")
    #expect(ended == nil)
  }

  @Test func `the end of an installation is its registrations' end`() async throws {
    let token = try await fixture.register("f1")
    let other = try await fixture.register("f2")
    let id = try await fixture.send("{\"token\": \"\(token)\"}")
    try await fixture.service.end(installation: "f1", of: "p")
    #expect(try await fixture.state(id, token) == .gone)
    #expect(try await fixture.service.registration(of: other, in: "p").installation == "f2")
    #expect(try fixture.differences().isEmpty)
  }

  @Test func `a revoked user's registrations are nobody's with the same write`() async throws {
    _ = try await fixture.register("f1", uid: "ana")
    let service = fixture.service
    try service.engine.write { try service.forget(user: "ana", of: "p", in: $0) }
    fixture.restart()
    await #expect(throws: MessagingError.self) { try await fixture.send("{}", to: .user("ana")) }
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
