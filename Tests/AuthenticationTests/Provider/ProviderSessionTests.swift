import Testing

@testable import Authentication

/// The ids of sign-ins with a provider: an hour each, and once.
struct ProviderSessionTests {
  @Test func `a session is valid for an hour from its start`() throws {
    let session = ProviderSession(startedAt: 1_000_000, .system)
    let read = try #require(ProviderSession(id: session.id))
    #expect(read == session)
    for (second, isValid) in [
      (999_939, false), (999_940, true), (1_000_000, true), (1_003_599, true), (1_003_600, false),
    ] {
      #expect(read.isValid(at: Int64(second)) == isValid, "\(second)")
    }
  }

  @Test(arguments: ["", "x", String(repeating: "a", count: 54), String(repeating: "=", count: 54)])
  func `what is no id is no valid session`(id: String) {
    #expect(ProviderSession(id: id)?.isValid(at: 1_000_000) != true)
  }

  @Test func `a session ends one sign-in, of whichever project, until it is over`() throws {
    let fixture = try AccountsFixture()
    let now = fixture.clock.seconds
    let session = ProviderSession(startedAt: now, .system)
    try fixture.project.finish(session)
    for project in [fixture.project, fixture.accounts.project("another")] {
      #expect(throws: AccountError.self) { try project.finish(session) }
    }
    try fixture.project.finish(ProviderSession(startedAt: now, .system))
    // While the session is valid its mark stays.
    fixture.clock.advance(seconds: ProviderSession.lifetime)
    for _ in 0..<40 { try fixture.project.finish(ProviderSession(startedAt: now, .system)) }
    #expect(throws: AccountError.self) { try fixture.project.finish(session) }
  }
}
