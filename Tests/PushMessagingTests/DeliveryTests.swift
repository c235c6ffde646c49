import BaseJSON
import Synchronization
import Testing

@testable import PushMessaging

/// Tests of the fate of messages that go by a push service.
@Suite struct DeliveryTests {
  private static let address = PushAddress.webPush(
    endpoint: "https://push.example/1",
    p256dh: [4] + [UInt8](repeating: 1, count: 64),
    auth: [UInt8](repeating: 2, count: 16),
    vapidKey: nil
  )

  private let fixture = MessagingFixture()

  private func worker(_ transport: ScriptedTransport) -> LaneWorker {
    LaneWorker(fixture.service, .webPush, transport) { if let error = $0 { Issue.record(error) } }
  }

  private func registered() async throws -> String {
    _ = try await fixture.service.vapidPair(of: "p")
    return try await fixture.register("f1", Self.address)
  }

  @Test func `a message is handed over with its payload and what is left of its life`() async throws
  {
    let token = try await registered()
    let id = try await fixture.send(
      """
      {"token": "\(token)", "data": {"k": "v"}, "webpush": {"headers": {"TTL": "60", "Topic": "t", "Urgency": "high"}}}
      """
    )
    fixture.advance(seconds: 20)
    let transport = ScriptedTransport()
    try await worker(transport).drain()
    let parcel = try #require(transport.parcels.first)
    #expect(transport.parcels.count == 1 && parcel.messageID == "0:\(id)")
    #expect(parcel.timeToLive == .seconds(40) && parcel.collapseKey == "t")
    #expect(parcel.priority == .high && parcel.attempt == 1 && parcel.address == Self.address)
    #expect(parcel.payload["data"]?["k"]?.string == "v")
    #expect(try await fixture.state(id, token) == .handed)
    try await worker(transport).drain()
    #expect(transport.parcels.count == 1)
    #expect(try fixture.differences().isEmpty)
  }

  @Test func `a queue whose outcomes are lost stays failing until one is kept`() async throws {
    let token = try await registered()
    let reports = Mutex<[Bool]>([])
    let worker = LaneWorker(fixture.service, .webPush, ScriptedTransport()) { error in
      reports.withLock { $0.append(error == nil) }
    }
    _ = try await fixture.send(#"{"token": "\#(token)", "data": {"k": "1"}}"#)
    fixture.takesWrites.withLock { $0 = false }
    try await worker.drain()
    try await worker.drain()
    #expect(reports.withLock { $0 } == [true, false])
    fixture.takesWrites.withLock { $0 = true }
    _ = try await fixture.send(#"{"token": "\#(token)", "data": {"k": "2"}}"#)
    try await worker.drain()
    #expect(reports.withLock { $0 } == [true, false, true])
  }

  @Test(arguments: [
    (PushOutcome.refused(reason: "r"), Delivery.State.refused, true),
    (.unauthorized(reason: "r"), .refused, true), (.gone(since: nil), .gone, false),
    (.gone(since: 1), .refused, true), (.gone(since: .max), .gone, false),
    (.retry(after: .seconds(100_000), reason: "r"), .expired, true),
  ])
  func `an outcome is kept`(
    outcome: PushOutcome,
    state: Delivery.State,
    isRegistered: Bool
  ) async throws {
    let token = try await registered()
    let id = try await fixture.send(
      "{\"token\": \"\(token)\", \"webpush\": {\"headers\": {\"TTL\": \"60\"}}}"
    )
    try await worker(ScriptedTransport([outcome])).drain()
    #expect(try await fixture.state(id, token) == state)
    let next = try? await fixture.send("{\"token\": \"\(token)\"}")
    #expect((next != nil) == isRegistered)
    #expect(try fixture.differences().isEmpty)
  }

  @Test func `a message is tried again when its time has come, also after a restart`() async throws
  {
    let token = try await registered()
    let id = try await fixture.send("{\"token\": \"\(token)\"}")
    let transport = ScriptedTransport([
      .retry(after: .seconds(30), reason: "busy"), .retry(after: nil, reason: "busy"),
    ])
    try await worker(transport).drain()
    #expect(try await fixture.state(id, token) == .waiting)
    fixture.advance(seconds: 29)
    try await worker(transport).drain()
    #expect(transport.parcels.map(\.attempt) == [1])
    fixture.restart()
    fixture.advance(seconds: 1)
    try await worker(transport).drain()
    #expect(transport.parcels.map(\.attempt) == [1, 2])
    fixture.advance(seconds: 4)
    try await worker(transport).drain()
    #expect(transport.parcels.map(\.attempt) == [1, 2, 3])
    #expect(Set(transport.parcels.map(\.messageID)).count == 1)
    #expect(try await fixture.state(id, token) == .handed)
    #expect(try fixture.differences().isEmpty)
  }

  @Test func `what waits too long expires and is not handed over`() async throws {
    let token = try await registered()
    let id = try await fixture.send(
      "{\"token\": \"\(token)\", \"webpush\": {\"headers\": {\"TTL\": \"60\"}}}"
    )
    fixture.advance(seconds: 61)
    let transport = ScriptedTransport()
    try await worker(transport).drain()
    #expect(transport.parcels.isEmpty)
    #expect(try await fixture.state(id, token) == .expired)
  }

  @Test func `a clock that goes back keeps nothing waiting and lengthens no life`() async throws {
    let token = try await registered()
    let text = "{\"token\": \"\(token)\", \"webpush\": {\"headers\": {\"TTL\": \"60\"}}}"
    let transport = ScriptedTransport()
    var sent = [try await fixture.send(text)]
    fixture.advance(seconds: -3_600)
    sent.append(try await fixture.send(text))
    fixture.restart()
    sent.append(try await fixture.send(text))
    try await worker(transport).drain()
    #expect(transport.parcels.map(\.messageID) == sent.map { "0:\($0)" })
    #expect(transport.parcels.map(\.timeToLive) == [.seconds(60), .seconds(60), .seconds(60)])
    #expect(try fixture.differences().isEmpty)
  }

  @Test func `a newer message of a collapse key takes the place of one that waits`() async throws {
    let token = try await registered()
    let text = "{\"token\": \"\(token)\", \"webpush\": {\"headers\": {\"Topic\": \"t\"}}}"
    let older = try await fixture.send(text)
    let newer = try await fixture.send(text)
    let transport = ScriptedTransport()
    try await worker(transport).drain()
    #expect(transport.parcels.map(\.messageID) == ["0:\(newer)"])
    #expect(try await fixture.state(older, token) == .collapsed)
    let third = try await fixture.send(text)
    #expect(try await fixture.state(newer, token) == .handed)
    #expect(try await fixture.state(third, token) == .waiting)
    #expect(try fixture.differences().isEmpty)
  }

  @Test func `what is written to a stream is handed over, and waits until it is acknowledged`()
    async throws
  {
    let token = try await fixture.register("f1")
    let known = try await fixture.service.registration(of: token, in: "p")
    let id = try await fixture.send("{\"token\": \"\(token)\"}")
    let written = try await fixture.service.entries(of: known.mailbox, after: 0, limit: 10)
    fixture.service.noteWritten(written, to: known.mailbox)
    #expect(try await fixture.state(id, token) == .waiting)
    try await fixture.service.keepWritten()
    #expect(try await fixture.state(id, token) == .handed)
    let again = try await fixture.service.entries(of: known.mailbox, after: 0, limit: 10)
    #expect(again.map(\.messageID) == ["0:\(id)"])
    #expect(try fixture.differences().isEmpty)
    try await fixture.service.acknowledge(known, Receipts(sequence: again[0].sequence))
    #expect(try await fixture.state(id, token) == .acknowledged)
    #expect(try await fixture.service.entries(of: known.mailbox, after: 0, limit: 10).isEmpty)
    #expect(try fixture.differences().isEmpty)
  }

  @Test func `what was handed over and never acknowledged leaves the mailbox with its life`()
    async throws
  {
    let token = try await fixture.register("f1")
    let known = try await fixture.service.registration(of: token, in: "p")
    let id = try await fixture.send("{\"token\": \"\(token)\", \"android\": {\"ttl\": \"20s\"}}")
    let written = try await fixture.service.entries(of: known.mailbox, after: 0, limit: 10)
    fixture.service.noteWritten(written, to: known.mailbox)
    try await fixture.service.keepWritten()
    // Other platforms' lives are longer.
    fixture.advance(seconds: 29 * 86_400)
    while try await fixture.service.expireMessages() {}
    #expect(try await fixture.state(id, token) == .handed)
    #expect(try await fixture.service.entries(of: known.mailbox, after: 0, limit: 10).isEmpty)
    #expect(try fixture.differences().isEmpty)
  }

  @Test func `a member that leaves before the message is handed over does not get it`() async throws
  {
    let token = try await registered()
    let topic = try #require(TopicName("t"))
    let change = fixture.service.changeTopic
    _ = try await change(topic, [token], "p", true)
    let id = try await fixture.send("{\"topic\": \"t\"}")
    while try await fixture.service.stepFanOuts() {}
    _ = try await change(topic, [token], "p", false)
    let transport = ScriptedTransport()
    try await worker(transport).drain()
    #expect(transport.parcels.isEmpty)
    #expect(try await fixture.state(id, token) == .refused)
  }

  @Test func `a scheduled message is sent at its time, unless it was taken back`() async throws {
    let token = try await registered()
    let service = fixture.service
    let message = try OutgoingMessage(
      json: try JSONValue(parsing: "{\"token\": \"\(token)\"}"),
      now: service.now
    )
    let time = MessageSchedule(.instant(service.now + 60_000_000))
    let kept = try await service.schedule(message, from: "p", origin: "test", by: time)
    let other = try await service.schedule(message, from: "p", origin: "test", by: time)
    let id = try #require(StoredMessage.id(of: other))
    #expect(try await service.cancel(id, of: "p"))
    let transport = ScriptedTransport()
    fixture.advance(seconds: 59)
    #expect(try await !service.releaseScheduled())
    try await worker(transport).drain()
    #expect(transport.parcels.isEmpty)
    fixture.advance(seconds: 1)
    _ = try await service.releaseScheduled()
    try await worker(transport).drain()
    #expect(transport.parcels.map(\.messageID) == [kept])
    #expect(try await !service.cancel(id, of: "p"))
  }
}
