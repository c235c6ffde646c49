import Testing

@testable import PushMessaging

/// Tests of the number of registrations that clients can make.
@Suite struct RegistrationBoundTests {
  private static func refusal(
    _ body: () async throws -> String
  ) async -> MessagingError.Code? {
    do {
      _ = try await body()
      return nil
    } catch {
      return (error as? MessagingError)?.code
    }
  }

  private static let day: Int64 = 86_400

  @Test func `a project has so many registrations that get messages`() async throws {
    var limits = MessagingLimits()
    limits.registrations = 2
    let fixture = MessagingFixture(limits)
    let first = try await fixture.register("f1")
    _ = try await fixture.register("f2")
    let third = await Self.refusal { try await fixture.register("f3") }
    #expect(third == .quotaExceeded)
    let again = await Self.refusal { try await fixture.register("f2") }
    #expect(again == nil)
    try await fixture.service.unregister(first, of: "p", installation: "f1")
    let later = await Self.refusal { try await fixture.register("f3") }
    #expect(later == nil)
    #expect(try fixture.differences().isEmpty)
  }

  @Test func `in all there are so many, with those that ended and are still kept`() async throws {
    var limits = MessagingLimits()
    limits.registrationsInAll = 2
    let fixture = MessagingFixture(limits)
    let first = try await fixture.register("f1")
    try await fixture.service.unregister(first, of: "p", installation: "f1")
    _ = try await fixture.register("f2")
    let third = await Self.refusal { try await fixture.register("f3") }
    #expect(third == .quotaExceeded)
    fixture.advance(seconds: 31 * Self.day)
    while try fixture.service.sweepRegistrationsStep() {}
    let later = await Self.refusal { try await fixture.register("f3") }
    #expect(later == nil)
    #expect(try fixture.differences().isEmpty)
  }

  @Test func `a directory from before there was a number of all is counted once`() async throws {
    var limits = MessagingLimits()
    limits.registrationsInAll = 3
    let fixture = MessagingFixture(limits)
    let first = try await fixture.register("f1")
    _ = try await fixture.register("f2")
    try fixture.service.engine.write { try $0.delete(MessagingKey(.total).bytes) }
    #expect(try fixture.differences().isEmpty)
    _ = try await fixture.register("f3")
    let fourth = await Self.refusal { try await fixture.register("f4") }
    #expect(fourth == .quotaExceeded)
    try fixture.service.engine.write { try $0.delete(MessagingKey(.total).bytes) }
    try await fixture.service.unregister(first, of: "p", installation: "f1")
    fixture.advance(seconds: 31 * Self.day)
    while try fixture.service.sweepRegistrationsStep() {}
    let later = await Self.refusal { try await fixture.register("f4") }
    #expect(later == nil)
    #expect(try fixture.differences().isEmpty)
  }

  @Test func `the disk's reserve takes no new registrations, but renewals and messages`()
    async throws
  {
    let fixture = MessagingFixture()
    _ = try await fixture.register("f1")
    try fixture.leave(bytes: (1 << 30) - 1)
    let new = await Self.refusal { try await fixture.register("f2") }
    #expect(new == .quotaExceeded)
    let token = try await fixture.register("f1")
    let id = try await fixture.send("{\"token\": \"\(token)\"}")
    #expect(try await fixture.state(id, token) == .waiting)
    try fixture.leave(bytes: 1 << 30)
    let later = await Self.refusal { try await fixture.register("f2") }
    #expect(later == nil)
    #expect(try fixture.differences().isEmpty)
  }
}
