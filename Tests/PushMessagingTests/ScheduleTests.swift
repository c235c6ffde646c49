import BaseJSON
import Foundation
import Testing

@testable import PushMessaging

/// Messages that are sent later: at an instant, by devices' clocks, again and again.
@Suite struct ScheduleTests {
  private let fixture = MessagingFixture()

  @Test(arguments: [
    ("2027-01-15T09:00", "America/Sao_Paulo", "2027-01-15T12:00:00Z"),
    ("2027-01-15T09:00:30", "Asia/Kathmandu", "2027-01-15T03:15:30Z"),
    // Clocks of New York go from 2 to 3 at 7:00 UTC, and from 2 back to 1 at 6:00 UTC.
    ("2027-03-14T02:30", "America/New_York", "2027-03-14T07:30:00Z"),
    ("2027-03-14T03:30", "America/New_York", "2027-03-14T07:30:00Z"),
    ("2027-11-07T01:30", "America/New_York", "2027-11-07T05:30:00Z"),
    ("2027-11-07T02:30", "America/New_York", "2027-11-07T07:30:00Z"),
    // Those of Sydney go from 2 to 3 at 16:00 UTC of the day before.
    ("2027-10-03T01:30", "Australia/Sydney", "2027-10-02T15:30:00Z"),
    ("2027-10-03T05:00", "Australia/Sydney", "2027-10-02T18:00:00Z"),
    ("2027-04-04T02:30", "Australia/Sydney", "2027-04-03T15:30:00Z"),
  ])
  func `a clock's time is an instant of its zone`(
    text: String,
    zone: String,
    instant: String
  ) throws {
    let local = try #require(LocalTime(text))
    let zone = try #require(TimeZone(identifier: zone))
    let expected = try Date(instant, strategy: .iso8601).timeIntervalSince1970
    #expect(local.instant(in: zone) == Int64(expected) * 1_000_000)
    #expect(local.earliest <= local.instant(in: zone) && local.instant(in: zone) <= local.latest)
    #expect(LocalTime(local.text) == local)
  }

  @Test(arguments: [
    "", "2027-01-15", "2027-02-29T09:00", "2027-01-15T24:00", "2027-01-15T09", "2027-1-15T09:00",
    "2027-01-15T09:00Z", "2027-01-15T09:60", "2027-01-15T09:00:00.5", "x",
  ])
  func `what no clock shows is no time`(text: String) { #expect(LocalTime(text) == nil) }

  @Test func `months and days are counted by the zone's calendar`() throws {
    let zone = try #require(TimeZone(identifier: "America/New_York"))
    let first = try #require(LocalTime("2027-01-31T09:00"))
    let months = try MessageSchedule.Recurrence(every: 1, .month, until: nil)
    let monthly = MessageSchedule(.instant(first.instant(in: zone)), zone: zone, recurrence: months)
    var times: [Int64] = []
    var next: MessageSchedule? = monthly
    while let each = next, times.count < 4 {
      times.append(each.release)
      next = each.next(after: each.release)
    }
    let expected = ["01-31", "02-28", "03-31", "04-30"].compactMap { LocalTime("2027-\($0)T09:00") }
    #expect(times == expected.map { $0.instant(in: zone) })
    let rule = try MessageSchedule.Recurrence(every: 2, .week, until: first.latest)
    #expect(MessageSchedule(.local(first), recurrence: rule).next(after: first.latest) == nil)
    #expect(throws: MessagingError.self) {
      try MessageSchedule.Recurrence(every: 0, .day, until: nil)
    }
  }

  /// Registers a client whose clock is of a zone.
  private func register(_ name: String, zone: String) async throws -> String {
    var request = RegistrationRequest(
      project: "p",
      installation: name,
      appID: "app",
      address: .direct
    )
    request.details.timeZone = zone
    return try await fixture.service.register(request)
  }

  private func accepted(_ json: String, _ schedule: MessageSchedule) async throws -> Int64 {
    let service = fixture.service
    let message = try OutgoingMessage(json: try JSONValue(parsing: json), now: service.now)
    let name = try await service.schedule(message, from: "p", origin: "test", by: schedule)
    return try #require(StoredMessage.id(of: name))
  }

  /// Does what is due by the clock.
  private func tick() async throws {
    while try await fixture.service.releaseScheduled() {}
    while try await fixture.service.stepFanOuts() {}
    while try await fixture.service.releaseHeld() {}
    while try await fixture.service.expireMessages() {}
  }

  private func waiting(_ token: String) async throws -> [String] {
    let known = try await fixture.service.registration(of: token, in: "p")
    return try await fixture.service.entries(of: known.mailbox, after: 0, limit: 10).map(
      \.messageID
    )
  }

  @Test func `each device gets a message when its own clock shows the time`() async throws {
    let tokyo = try await register("f1", zone: "Asia/Tokyo")
    let lisbon = try await register("f2", zone: "Europe/Lisbon")
    let nowhere = try await register("f3", zone: "Nowhere/Else")
    let topic = try #require(TopicName("t"))
    let join = fixture.service.changeTopic
    _ = try await join(topic, [tokyo, lisbon, nowhere], "p", true)
    // 00:00 UTC in Tokyo, 09:00 UTC in Lisbon, 12:00 UTC in São Paulo.
    let time = try #require(LocalTime("2027-01-16T09:00"))
    let zone = try #require(TimeZone(identifier: "America/Sao_Paulo"))
    let id = try await accepted(
      "{\"topic\": \"t\", \"android\": {\"ttl\": \"3600s\"}}",
      MessageSchedule(.local(time), zone: zone)
    )
    try await tick()
    #expect(try await fixture.service.report(id, of: "p")?.message.stage == .scheduled)
    fixture.advance(seconds: 15 * 3_600)
    try await tick()
    #expect(try await fixture.service.report(id, of: "p")?.counts[.waiting] == 3)
    #expect(try await waiting(tokyo).isEmpty)
    #expect(try fixture.differences().isEmpty)
    fixture.restart()
    fixture.advance(seconds: 3_600)
    try await tick()
    #expect(try await waiting(tokyo) == ["0:\(id)"])
    #expect(try await waiting(lisbon).isEmpty)
    // A life begins with the device's own time.
    fixture.advance(seconds: 3_601)
    #expect(try await waiting(tokyo).isEmpty)
    fixture.advance(seconds: 8 * 3_600 - 1)
    try await tick()
    #expect(try await waiting(lisbon) == ["0:\(id)"])
    #expect(try await waiting(nowhere).isEmpty)
    fixture.advance(seconds: 3 * 3_600)
    try await tick()
    #expect(try await waiting(nowhere) == ["0:\(id)"])
    #expect(try fixture.differences().isEmpty)
    // By other ways it would live for 28 days.
    fixture.advance(seconds: 30 * 86_400)
    try await tick()
    #expect(try await fixture.service.report(id, of: "p")?.counts[.expired] == 3)
    #expect(try fixture.differences().isEmpty)
  }

  @Test func `a device whose time has passed gets nothing, one that left neither`() async throws {
    let tokyo = try await register("f1", zone: "Asia/Tokyo")
    let lisbon = try await register("f2", zone: "Europe/Lisbon")
    let time = try #require(LocalTime("2027-01-15T15:00"))
    let early = try await accepted("{\"token\": \"\(tokyo)\"}", MessageSchedule(.local(time)))
    let late = try await accepted("{\"token\": \"\(lisbon)\"}", MessageSchedule(.local(time)))
    try await tick()
    #expect(try await fixture.state(early, tokyo) == .expired)
    #expect(try await fixture.state(late, lisbon) == .waiting)
    try await fixture.service.unregister(lisbon, of: "p", installation: "f2")
    fixture.advance(seconds: 7 * 3_600)
    try await tick()
    #expect(try await fixture.state(late, lisbon) == .gone)
    #expect(try fixture.differences().isEmpty)
    let past = MessageSchedule(.local(try #require(LocalTime("2027-01-14T15:00"))))
    let service = fixture.service
    #expect(throws: MessagingError.self) { try service.check(past) }
  }

  @Test func `a message is repeated until its end, and not for times that were missed`()
    async throws
  {
    let token = try await register("f1", zone: "")
    let day: Int64 = 86_400_000_000
    let first = fixture.service.now + 60_000_000
    let rule = try MessageSchedule.Recurrence(every: 1, .day, until: first + 5 * day)
    let schedule = MessageSchedule(.instant(first), recurrence: rule)
    let id = try await accepted("{\"token\": \"\(token)\"}", schedule)
    fixture.advance(seconds: 60)
    try await tick()
    #expect(try await waiting(token).count == 1)
    fixture.advance(seconds: 86_400)
    try await tick()
    #expect(try await waiting(token).count == 2)
    // The server was down: of three times one is made up for.
    fixture.advance(seconds: 3 * 86_400 + 10)
    try await tick()
    #expect(try await waiting(token).count == 3)
    let report = try #require(try await fixture.service.report(id, of: "p"))
    #expect(report.message.stage == .scheduled && report.message.start == first + 5 * day)
    fixture.advance(seconds: 86_400)
    try await tick()
    #expect(try await waiting(token).count == 4)
    #expect(try await fixture.service.report(id, of: "p")?.message.stage == .expanded)
    let made = try await fixture.service.reports(of: "p", limit: 10)
    #expect(made.filter { $0.message.originalName == "0:\(id)" }.count == 4)
    #expect(try fixture.differences().isEmpty)
  }

  @Test func `a repeated message is ended by taking it back`() async throws {
    let token = try await register("f1", zone: "")
    let rule = try MessageSchedule.Recurrence(every: 1, .week, until: nil)
    let schedule = MessageSchedule(.instant(fixture.service.now + 1_000_000), recurrence: rule)
    let id = try await accepted("{\"token\": \"\(token)\"}", schedule)
    fixture.advance(seconds: 2)
    try await tick()
    #expect(try await fixture.service.cancel(id, of: "p"))
    fixture.advance(seconds: 30 * 86_400)
    try await tick()
    #expect(try await fixture.service.reports(of: "p", limit: 10).count == 1)
  }
}
