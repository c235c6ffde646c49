import BaseStatus
import BaseText
import FirestoreModel
import Synchronization
import Testing

@testable import Access

struct CallerTests {
  private static let key = AdministratorKey("brasa-admin-secret")

  struct Case: Sendable, CustomStringConvertible {
    let authorization: String?
    var isSecure = true
    var isLocal = false
    /// Nil where the caller is let in.
    let refusal: StatusCode?

    var description: String { "\(authorization ?? "no header"), TLS \(isSecure), local \(isLocal)" }
  }

  @Test(arguments: [
    Case(authorization: "Bearer brasa-admin-secret", refusal: nil),
    Case(authorization: "bearer brasa-admin-secret", refusal: nil),
    Case(authorization: "Bearer brasa-admin-secret", isSecure: false, isLocal: true, refusal: nil),
    Case(authorization: "Bearer brasa-admin-secret", isSecure: false, refusal: .unauthenticated),
    Case(authorization: "Bearer brasa-admin-secre", refusal: .unauthenticated),
    Case(authorization: "Bearer brasa-admin-secrets", refusal: .unauthenticated),
    Case(authorization: "Bearer owner", refusal: .unauthenticated),
    Case(authorization: "Bearer ya29.token", refusal: .unauthenticated),
    Case(authorization: "Bearer ", refusal: .unauthenticated),
    Case(authorization: "Basic owner", refusal: .unauthenticated),
    Case(authorization: nil, refusal: .permissionDenied),
    Case(authorization: nil, isSecure: false, isLocal: true, refusal: .permissionDenied),
  ])
  func `production lets in the administrator key and nobody else`(_ row: Case) throws {
    try expect(row, mode: .production(key: Self.key))
  }

  @Test(arguments: [
    Case(authorization: "Bearer owner", refusal: nil),
    Case(authorization: "bearer OWNER", refusal: nil),
    Case(authorization: "Bearer ya29.token", refusal: nil),
    Case(authorization: nil, refusal: nil),
    Case(authorization: "Bearer something", refusal: .invalidArgument),
    Case(authorization: "Bearer a.b.c", refusal: .invalidArgument),
    Case(authorization: "owner", refusal: .unauthenticated),
  ])
  func `development lets in what the emulator's clients send`(_ row: Case) throws {
    try expect(row, mode: .development)
  }

  private func expect(_ row: Case, mode: AccessControl.Mode) throws {
    let fixture = try AccessFixture(mode)
    defer { fixture.close() }
    let control = fixture.access
    let context = CallContext(
      requestID: "test",
      authorization: row.authorization,
      isSecure: row.isSecure,
      isLocal: row.isLocal
    )
    var refusal: StatusCode?
    do throws(ServiceError) {
      let caller = try control.identify(context)
      try control.admit(caller)
      try control.requireAdministration(caller)
    } catch {
      refusal = error.code
    }
    #expect(refusal == row.refusal)
  }

  @Test func `a connection remembers its users only while their tokens are valid`() throws {
    let verifier = RevocableVerifier()
    let fixture = try AccessFixture(.production(key: Self.key), verifier: verifier)
    defer { fixture.close() }
    let memory = CallerMemory()
    for token in ["user", "administrator"] {
      verifier.isRevoked.withLock { $0 = false }
      let context = CallContext(
        requestID: "test",
        authorization: "Bearer \(token)",
        isSecure: true,
        memory: memory
      )
      let first = try fixture.access.identify(context)
      let asked = verifier.asked.withLock { $0 }
      #expect(try fixture.access.identify(context) == first)
      if token == "user" { #expect(verifier.asked.withLock { $0 } == asked) }
      verifier.isRevoked.withLock { $0 = true }
      let error = #expect(throws: ServiceError.self) {
        try fixture.access.identify(context)
      }
      #expect(error?.code == .unauthenticated)
    }
  }

  @Test func `a key does not show itself`() {
    #expect(!"\(Self.key)".contains("secret"))
    #expect(!String(reflecting: Self.key).contains("secret"))
  }
}

/// Knows one user and one administrator until both are revoked.
private final class RevocableVerifier: TokenVerifier {
  let isRevoked = Mutex(false)
  let asked = Mutex(0)

  func caller(holding token: Substring, isSecure: Bool) throws(ServiceError) -> Caller {
    asked.withLock { $0 += 1 }
    if isRevoked.withLock({ $0 }) { throw AccessControl.invalidCredentials }
    if token == "administrator" { return .administrator }
    return .user(
      UserIdentity(project: "p", uid: "u", claims: MapValue(), expiry: .max, issued: 0)
    )
  }

  func knownCaller(holding token: Substring, isSecure: Bool) throws(ServiceError) -> Caller? {
    nil
  }

  func isGenuine(_ token: Substring) -> Bool {
    (try? caller(holding: token, isSecure: true)) != nil
  }

  func isValid(_ identity: UserIdentity) -> Bool { !isRevoked.withLock { $0 } }

  func onRevocation(_ observer: @escaping @Sendable (Text, Text) -> Void) {}
}
