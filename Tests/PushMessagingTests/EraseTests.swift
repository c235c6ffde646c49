import BaseJSON
import Testing

@testable import PushMessaging

/// Forgetting a user.
@Suite struct EraseTests {
  private let fixture = MessagingFixture()

  @Test func `nothing of a user is left but deliveries to nobody`() async throws {
    let service = fixture.service
    let phone = try await fixture.register("f1", uid: "ana")
    let desktop = try await fixture.register("f2", uid: "ana")
    let other = try await fixture.register("f3", uid: "bea")
    let topic = try #require(TopicName("t"))
    let join = service.changeTopic
    _ = try await join(topic, [phone, other], "p", true)
    let toUser = try await fixture.send("{}", to: .user("ana"))
    let toPhone = try await fixture.send("{\"token\": \"\(phone)\"}")
    let toOther = try await fixture.send("{\"token\": \"\(other)\"}")
    let toTopic = try await fixture.send("{\"topic\": \"t\"}")
    while try await service.stepFanOuts() {}
    let rule = try MessageSchedule.Recurrence(every: 1, .day, until: nil)
    let message = try OutgoingMessage(
      json: try JSONValue(parsing: "{}"),
      recipient: .user("ana"),
      now: service.now
    )
    let repeated = try await service.schedule(
      message,
      from: "p",
      origin: "test",
      by: MessageSchedule(.instant(service.now + 1_000_000), recurrence: rule)
    )
    let erased = try await service.erase(user: "ana", of: "p")
    #expect(erased == PushService.Erased(registrations: 2, messages: 3))
    for id in [toUser, toPhone, try #require(StoredMessage.id(of: repeated))] {
      #expect(try await service.report(id, of: "p") == nil)
      #expect(try await service.deliveries(of: id, in: "p", limit: 10).isEmpty)
    }
    for token in [phone, desktop] {
      let known = try? await service.registration(of: token, in: "p")
      #expect(known == nil)
    }
    #expect(try await fixture.state(toOther, other) == .waiting)
    let counts = try #require(try await service.report(toTopic, of: "p")).counts
    #expect(counts[.waiting] == 1 && counts[.gone] == 1)
    let seen = try MessagingVerification.verify(service) { Issue.record("\($0)") }
    #expect(seen.registrations == 1 && seen.messages == 2)
    fixture.advance(seconds: 60)
    #expect(try await !service.releaseScheduled())
    #expect(try await service.erase(user: "ana", of: "p") == PushService.Erased())
  }
}
