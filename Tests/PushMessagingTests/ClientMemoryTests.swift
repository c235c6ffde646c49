import Testing

@testable import PushMessaging

/// Tests of the state of connected clients in memory, against the store.
@Suite struct ClientMemoryTests {
  private struct Refusal: Error {}

  private let fixture = MessagingFixture()

  private static func connect(
    _ token: String,
    _ fixture: MessagingFixture
  ) async throws -> MailboxID {
    let mailbox = try await fixture.service.registration(of: token, in: "p").mailbox
    let listener = WakingListener()
    try fixture.service.streams.open(mailbox, listener, network: "n", pings: .seconds(60))
    return mailbox
  }

  private static func send(_ token: String, _ fixture: MessagingFixture) async throws -> Int64 {
    try await fixture.send("{\"token\": \"\(token)\"}")
  }

  @Test func `what a connected client gets and acknowledges is in the store`() async throws {
    let token = try await fixture.register("f")
    let mailbox = try await Self.connect(token, fixture)
    var sent: [Int64] = []
    for _ in 0..<12 { sent.append(try await Self.send(token, fixture)) }
    let entries = try await fixture.service.entries(of: mailbox, after: 0, limit: 100)
    #expect(entries.map(\.messageID) == sent.map { "0:\($0)" })
    for entry in entries.prefix(11) {
      try await fixture.acknowledge(Receipts(sequence: entry.sequence), token)
    }
    #expect(try await fixture.state(sent[10], token) == .acknowledged)
    #expect(try await fixture.state(sent[11], token) == .waiting)
    #expect(try fixture.differences().isEmpty)
  }

  @Test func `a client that connected is in memory before its first message`() async throws {
    let token = try await fixture.register("f")
    let mailbox = try await Self.connect(token, fixture)
    let memory = try #require(fixture.service.streams.memory)
    fixture.service.prepare(TokenOwner(token: token, project: "p", installation: "f"))
    // Comes behind it.
    try await fixture.service.writeDeliveries(.background) { _ in }
    #expect(memory.has(mailbox))
    #expect(memory.registration(of: token)?.mailbox == mailbox)
  }

  @Test func `what was acknowledged need not be noted as written`() async throws {
    let token = try await fixture.register("f")
    let mailbox = try await Self.connect(token, fixture)
    let sent = [try await Self.send(token, fixture), try await Self.send(token, fixture)]
    let written = sent.map { WrittenDelivery(mailbox: mailbox, message: $0) }
    let memory = try #require(fixture.service.streams.memory)
    #expect(memory.unsettled(written).map(\.message) == sent)
    try await fixture.acknowledge(Receipts(sequence: 1), token)
    #expect(memory.unsettled(written).map(\.message) == [sent[1]])
    fixture.service.streams.end(mailbox)
    #expect(memory.unsettled(written).map(\.message) == sent)
  }

  @Test func `a message to one registration is counted where it is read`() async throws {
    let token = try await fixture.register("f")
    _ = try await Self.connect(token, fixture)
    let id = try await Self.send(token, fixture)
    #expect(try await fixture.service.report(id, of: "p")?.counts[.direct, .waiting] == 1)
    try await fixture.acknowledge(Receipts(sequence: 1), token)
    let counts = try await fixture.service.report(id, of: "p")?.counts
    #expect(counts?[.direct, .acknowledged] == 1)
    #expect(counts?[.direct, .waiting] == 0)
  }

  @Test func `a token that ended is not remembered`() async throws {
    let token = try await fixture.register("f")
    _ = try await Self.connect(token, fixture)
    _ = try await Self.send(token, fixture)
    _ = try await Self.send(token, fixture)
    let newToken = try await fixture.register("f")
    await #expect(throws: MessagingError.self) { try await Self.send(token, fixture) }
    _ = try await Self.send(newToken, fixture)
    try await fixture.service.unregister(newToken, of: "p", installation: "f")
    await #expect(throws: MessagingError.self) { try await Self.send(newToken, fixture) }
    #expect(try fixture.differences().isEmpty)
  }

  @Test func `what a refused write did is not remembered`() async throws {
    let token = try await fixture.register("f")
    let mailbox = try await Self.connect(token, fixture)
    let id = try await Self.send(token, fixture)
    await #expect(throws: (any Error).self) {
      try await Self.refuse(id, mailbox, fixture)
    }
    #expect(try await fixture.state(id, token) == .waiting)
    try await fixture.acknowledge(Receipts(sequence: 1), token)
    #expect(try await fixture.state(id, token) == .acknowledged)
    #expect(try fixture.differences().isEmpty)
  }

  private static func refuse(
    _ id: Int64,
    _ mailbox: MailboxID,
    _ fixture: MessagingFixture
  ) async throws {
    try await fixture.service.writeDeliveries { book in
      try book.move("p", id, mailbox.number, to: .acknowledged)
      throw Refusal()
    }
  }

  @Test func `writes of one group see each other`() async throws {
    let token = try await fixture.register("f")
    let mailbox = try await Self.connect(token, fixture)
    for _ in 0..<8 { try await Self.exchange(token, mailbox, fixture) }
    #expect(try await fixture.service.entries(of: mailbox, after: 0, limit: 100).isEmpty)
    #expect(try fixture.differences().isEmpty)
  }

  /// Sends and acknowledges at once, then acknowledges the rest.
  private static func exchange(
    _ token: String,
    _ mailbox: MailboxID,
    _ fixture: MessagingFixture
  ) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<24 {
        group.addTask {
          if number % 3 == 2 {
            try await fixture.acknowledge(Receipts(sequence: Int64(number)), token)
          } else {
            _ = try await send(token, fixture)
          }
        }
      }
      try await group.waitForAll()
    }
    let entries = try await fixture.service.entries(of: mailbox, after: 0, limit: 100)
    guard let last = entries.last else { return }
    try await fixture.acknowledge(Receipts(sequence: last.sequence), token)
  }
}
