import BaseStatus
import BaseText
import Synchronization
import Testing

@testable import Access

struct CallerMemoryTests {
  @Test func `a connection does not outlive the token of its service account`() throws {
    let verifier = EndingVerifier()
    let fixture = try AccessFixture(
      .production(key: AdministratorKey("brasa-admin-secret")),
      verifier: verifier
    )
    defer { fixture.close() }
    let control = fixture.access
    let context = CallContext(
      requestID: "1",
      authorization: "Bearer header.claims.signature",
      isSecure: true,
      memory: CallerMemory()
    )
    #expect(try control.identify(context) == .administrator)
    #expect(try control.identify(context) == .administrator)
    verifier.end()
    #expect(throws: ServiceError.self) { try control.identify(context) }
  }
}

/// Takes every token for a service account's, until its key is revoked.
private final class EndingVerifier: TokenVerifier {
  private let isOver = Mutex(false)

  func end() { isOver.withLock { $0 = true } }

  func caller(holding token: Substring, isSecure: Bool) throws(ServiceError) -> Caller {
    if isOver.withLock({ $0 }) { throw AccessControl.invalidCredentials }
    return .administrator
  }

  func knownCaller(holding token: Substring, isSecure: Bool) throws(ServiceError) -> Caller? {
    nil
  }

  func isGenuine(_ token: Substring) -> Bool {
    (try? caller(holding: token, isSecure: true)) != nil
  }

  func isValid(_ identity: UserIdentity) -> Bool { true }
  func onRevocation(_ observer: @escaping @Sendable (Text, Text) -> Void) {}
}
