import BaseJSON
import Testing

@testable import PushMessaging

/// Tests of the number of messages of a label that a user gets.
@Suite struct FrequencyCapTests {
  private let fixture = MessagingFixture()

  private static func send(
    _ fixture: MessagingFixture,
    to recipient: OutgoingMessage.Recipient,
    label: String = "offers",
    _ messages: Int64,
    per period: Int64
  ) async throws -> Int64 {
    let json = "{\"fcm_options\": {\"analytics_label\": \"\(label)\"}}"
    let message = try OutgoingMessage(
      json: try JSONValue(parsing: json),
      recipient: recipient,
      now: fixture.service.now
    ).capped(FrequencyCap(messages: messages, period: period))
    let name = try await fixture.service.send(message, from: "p", origin: "test")
    return try #require(StoredMessage.id(of: name))
  }

  private static func state(
    _ fixture: MessagingFixture,
    _ token: String,
    label: String = "offers",
    _ messages: Int64,
    per period: Int64
  ) async throws -> Delivery.State? {
    let id = try await send(fixture, to: .token(token), label: label, messages, per: period)
    return try await fixture.state(id, token)
  }

  @Test func `no more than the cap's come within its period`() async throws {
    let token = try await fixture.register("f")
    for _ in 0..<2 {
      #expect(try await Self.state(fixture, token, 2, per: 60) == .waiting)
    }
    #expect(try await Self.state(fixture, token, 2, per: 60) == .refused)
    #expect(try await Self.state(fixture, token, label: "news", 2, per: 60) == .waiting)
    #expect(try await Self.state(fixture, token, 3, per: 60) == .waiting)
    fixture.advance(seconds: 61)
    #expect(try await Self.state(fixture, token, 1, per: 60) == .waiting)
    #expect(try fixture.differences().isEmpty)
  }

  @Test func `a message is one for all registrations of a user`() async throws {
    let tokens = [
      try await fixture.register("f1", uid: "ana"), try await fixture.register("f2", uid: "ana"),
    ]
    let first = try await Self.send(fixture, to: .user("ana"), 1, per: 60)
    let second = try await Self.send(fixture, to: .user("ana"), 1, per: 60)
    for token in tokens {
      #expect(try await fixture.state(first, token) == .waiting)
      #expect(try await fixture.state(second, token) == .refused)
    }
    let refused = try await fixture.service.deliveries(of: second, in: "p", limit: 10)
    #expect(refused.map(\.delivery.reason) == ["frequency-cap", "frequency-cap"])
  }

  @Test func `a topic's message passes by who has had enough`() async throws {
    let tokens = [try await fixture.register("f1"), try await fixture.register("f2")]
    let topic = try #require(TopicName("news"))
    _ = try await fixture.service.changeTopic(topic, of: tokens, in: "p", subscribing: true)
    #expect(try await Self.state(fixture, tokens[0], 1, per: 60) == .waiting)
    fixture.restart()
    let id = try await Self.send(fixture, to: .topic(topic), 1, per: 60)
    while try await fixture.service.stepFanOuts() {}
    #expect(try await fixture.state(id, tokens[0]) == .refused)
    #expect(try await fixture.state(id, tokens[1]) == .waiting)
  }

  @Test func `what no cap looks at any more is deleted`() async throws {
    let token = try await fixture.register("f", uid: "ana")
    _ = try await Self.send(fixture, to: .token(token), 1, per: 60)
    #expect(try Self.kept(fixture) == 1)
    fixture.advance(seconds: FrequencyCap.longest - 1)
    while try fixture.service.sweepCapsStep() {}
    #expect(try Self.kept(fixture) == 1)
    fixture.advance(seconds: 3_601)
    while try fixture.service.sweepCapsStep() {}
    #expect(try Self.kept(fixture) == 0)
    _ = try await Self.send(fixture, to: .token(token), 1, per: 60)
    _ = try await fixture.service.erase(user: "ana", of: "p")
    #expect(try Self.kept(fixture) == 0)
  }

  @Test func `what counts for a registration goes with it`() async throws {
    let token = try await fixture.register("f")
    let other = try await fixture.register("g")
    for token in [token, other] {
      _ = try await Self.send(fixture, to: .token(token), 1, per: 60)
      _ = try await Self.send(fixture, to: .token(token), label: "news", 1, per: 60)
    }
    #expect(try Self.kept(fixture) == 4)
    try await fixture.service.unregister(token, of: "p", installation: "f")
    #expect(try Self.kept(fixture) == 2)
    #expect(try await Self.state(fixture, other, 1, per: 60) == .refused)
  }

  private static func kept(_ fixture: MessagingFixture) throws -> Int {
    try fixture.service.reading { reader in
      let cursor = try reader.cursor(over: MessagingKey(.capped).range, reversed: false)
      var count = 0
      while try cursor.next() { count += 1 }
      return count
    }
  }

  @Test func `caps out of their bounds are refused`() {
    #expect(throws: MessagingError.self) { try FrequencyCap(messages: 0, period: 60) }
    #expect(throws: MessagingError.self) { try FrequencyCap(messages: 101, period: 60) }
    #expect(throws: MessagingError.self) { try FrequencyCap(messages: 1, period: 2_592_001) }
    let message = try? OutgoingMessage(to: .user("ana"), MessageContent([], now: 0))
    #expect(throws: MessagingError.self) {
      try message?.capped(FrequencyCap(messages: 1, period: 60))
    }
  }
}
