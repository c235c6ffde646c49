import Testing

@testable import PushMessaging

/// Push resources of clients that connect.
@Suite struct ResourceTests {
  private let fixture = MessagingFixture()

  private func push(
    _ body: [UInt8],
    to resource: PushResource,
    life: Int64 = 60,
    topic: String? = nil
  ) async throws -> String {
    let message = try PushedMessage(body: body, timeToLive: life, urgency: .high, topic: topic)
    return try await fixture.service.push(message, to: resource)
  }

  private func bodies(_ token: String) async throws -> [String?] {
    let known = try await fixture.service.registration(of: token, in: "p")
    return try await fixture.service.entries(of: known.mailbox, after: 0, limit: 10).map { entry in
      #expect(entry.content.key == "push" && entry.content.value["resource"]?.string == "chat")
      return entry.content.value["body"]?.string
    }
  }

  @Test func `what is sent waits for the client, its topic's newest alone`() async throws {
    let service = fixture.service
    let token = try await fixture.register("f1")
    let known = try await service.registration(of: token, in: "p")
    let capability = try await service.makePushResource(
      named: "chat",
      vapidKey: nil,
      at: "https://push.example",
      for: known
    )
    let resource = try await service.pushResource(capability)
    let old = try await push([1], to: resource, topic: "t")
    let new = try await push([2], to: resource, topic: "t")
    let other = try await push([3], to: resource)
    let never = try await push([4], to: resource, life: 0)
    #expect(try await bodies(token) == ["Ag", "Aw"])
    #expect(try await service.state(of: old, sentTo: resource) == .collapsed)
    #expect(try await service.state(of: never, sentTo: resource) == .expired)
    try await service.withdraw(other, sentTo: resource)
    #expect(try await bodies(token) == ["Ag"])
    try await service.acknowledge(known, Receipts(sequence: 2))
    #expect(try await service.state(of: new, sentTo: resource) == .acknowledged)
    await #expect(throws: MessagingError.self) {
      try await service.withdraw(new, sentTo: resource)
    }
    #expect(try fixture.differences().isEmpty)
  }

  @Test func `a message is of its resource alone`() async throws {
    let service = fixture.service
    let known = try await service.registration(of: fixture.register("f1"), in: "p")
    var resources: [PushResource] = []
    for name in ["chat", "mail"] {
      let capability = try await service.makePushResource(
        named: name,
        vapidKey: nil,
        at: "https://push.example",
        for: known
      )
      resources.append(try await service.pushResource(capability))
    }
    let (chat, mail) = (resources[0], resources[1])
    let id = try await push([1], to: chat)
    await #expect(throws: MessagingError.self) { try await service.state(of: id, sentTo: mail) }
    await #expect(throws: MessagingError.self) { try await service.state(of: "0:1", sentTo: chat) }
  }

  @Test func `a resource ends with its successor, by its client, with the registration`()
    async throws
  {
    let service = fixture.service
    let token = try await fixture.register("f1")
    let known = try await service.registration(of: token, in: "p")
    func make(_ name: String) async throws -> String {
      try await service.makePushResource(
        named: name,
        vapidKey: nil,
        at: "https://push.example",
        for: known
      )
    }
    let first = try await make("chat")
    let second = try await make("chat")
    await #expect(throws: MessagingError.self) { try await service.pushResource(first) }
    let resource = try await service.pushResource(second)
    try await service.endPushResource(named: "chat", of: known)
    await #expect(throws: MessagingError.self) { try await service.pushResource(second) }
    let third = try await make("chat")
    #expect(try fixture.differences().isEmpty)
    try await service.unregister(token, of: "p", installation: "f1")
    await #expect(throws: MessagingError.self) { try await service.pushResource(third) }
    await #expect(throws: MessagingError.self) { try await push([1], to: resource) }
    #expect(try fixture.differences().isEmpty)
  }

  @Test(arguments: ["", "a b", "ä", String(repeating: "x", count: 33), "a=b", "a/b"])
  func `what is no topic is refused`(topic: String) {
    #expect(throws: MessagingError.self) {
      try PushedMessage(body: [], timeToLive: 0, urgency: .low, topic: topic)
    }
  }

  @Test func `names and numbers of resources have bounds`() async throws {
    var limits = MessagingLimits()
    limits.pushResources = 2
    let fixture = MessagingFixture(limits)
    let service = fixture.service
    let known = try await service.registration(of: fixture.register("f1"), in: "p")
    for name in ["", "a b", String(repeating: "x", count: 101)] {
      await #expect(throws: MessagingError.self) {
        try await service.makePushResource(
          named: name,
          vapidKey: nil,
          at: "https://push.example",
          for: known
        )
      }
    }
    for name in ["a", "b", "b"] {
      _ = try await service.makePushResource(
        named: name,
        vapidKey: nil,
        at: "https://push.example",
        for: known
      )
    }
    await #expect(throws: MessagingError.self) {
      try await service.makePushResource(
        named: "c",
        vapidKey: nil,
        at: "https://push.example",
        for: known
      )
    }
  }
}

/// Proofs of senders (RFC 8292).
@Suite struct VAPIDProofTests {
  private static let origin = "https://push.example.org"

  @Test func `a proof is valid for its origin and time`() throws {
    let pair = VAPIDPair(newFor: "mailto:push@example.org")
    let header = try pair.authorization(origin: Self.origin, expiry: 10_000)
    let proof = try #require(VAPIDProof(header))
    #expect(proof.publicKey == pair.publicKey)
    #expect(proof.isValid(for: [Self.origin], now: 9_999))
    #expect(!proof.isValid(for: [Self.origin], now: 10_000))
    #expect(!proof.isValid(for: ["https://other.example.org"], now: 9_000))
    #expect(!proof.isValid(for: [Self.origin], now: 10_000 - 90_000))
  }

  @Test func `another key's signature is none`() throws {
    let (one, other) = (VAPIDPair(newFor: "mailto:a@b.c"), VAPIDPair(newFor: "mailto:a@b.c"))
    let header = try one.authorization(origin: Self.origin, expiry: 10_000)
    let forged = header.replacing(one.publicText, with: other.publicText)
    #expect(try #require(VAPIDProof(forged)).isValid(for: [Self.origin], now: 9_000) == false)
  }

  @Test(arguments: [
    "", "vapid", "vapid t=a.b.c", "Bearer x", "vapid k=AAAA", "vapid t=..,k=AAAA",
    "vapid t=e30.e30.AAAA,k=AAAA",
  ])
  func `what is no proof is none`(header: String) { #expect(VAPIDProof(header) == nil) }
}
