import FirestoreModel
import FirestoreWire
import Synchronization
import Testing

@testable import Access
@testable import FirestoreService

struct AccessControlTests {
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
    let fixture = try ServiceFixture(mode)
    defer { fixture.close() }
    let control = fixture.service.access
    let context = ServiceFixture.context(
      authorization: row.authorization,
      isSecure: row.isSecure,
      isLocal: row.isLocal
    )
    var refusal: StatusCode?
    do throws(FirestoreError) {
      let caller = try control.identify(context)
      try control.admit(caller)
      try control.requireAdministration(caller)
    } catch {
      refusal = error.code
    }
    #expect(refusal == row.refusal)
  }

  @Test(arguments: RPCMethod.allCases)
  func `nobody learns anything in production, not even that a request is malformed`(
    method: RPCMethod
  ) async throws {
    let fixture = try ServiceFixture(.production(key: Self.key))
    let context = ServiceFixture.context()
    for request in [[], [0xFF, 0xFF, 0xFF]] as [[UInt8]] {
      let unary = await #expect(throws: FirestoreError.self) {
        try await fixture.unary(method, request, context)
      }
      let stream = await #expect(throws: FirestoreError.self) {
        try await fixture.messages(method, request, context)
      }
      #expect(unary?.code == .permissionDenied && stream?.code == .permissionDenied)
    }
    let admin = await #expect(throws: FirestoreError.self) {
      try await fixture.administer("GET", "/v1/projects/p/databases")
    }
    #expect(admin?.code == .permissionDenied)
    fixture.close()
  }

  @Test func `a connection remembers its users only while their tokens are valid`() throws {
    let verifier = RevocableVerifier()
    let fixture = try ServiceFixture(.production(key: Self.key), verifier: verifier)
    defer { fixture.close() }
    let memory = CallerMemory()
    for token in ["user", "administrator"] {
      verifier.isRevoked.withLock { $0 = false }
      let context = ServiceFixture.context(authorization: "Bearer \(token)", memory: memory)
      let first = try fixture.service.access.identify(context)
      let asked = verifier.asked.withLock { $0 }
      #expect(try fixture.service.access.identify(context) == first)
      if token == "user" { #expect(verifier.asked.withLock { $0 } == asked) }
      verifier.isRevoked.withLock { $0 = true }
      let error = #expect(throws: FirestoreError.self) {
        try fixture.service.access.identify(context)
      }
      #expect(error?.code == .unauthenticated)
    }
  }

  /// The code of a get of `d/x` by a user; nil where it is found.
  private func get(_ fixture: ServiceFixture, in database: DatabaseID) async throws -> StatusCode? {
    do {
      _ = try await fixture.call(
        "GET",
        "/d/x",
        root: "/v1/\(database.path)/documents",
        context: ServiceFixture.context(authorization: TestTokens.bearer("alice"))
      )
      return nil
    } catch let error as FirestoreError {
      return error.code
    }
  }

  @Test(arguments: [true, false])
  func `a named database has its own rules, in development else the project's`(
    isDevelopment: Bool
  ) async throws {
    let fixture = try ServiceFixture(
      isDevelopment ? .development : .production(key: Self.key),
      verifier: TestVerifier()
    )
    defer { fixture.close() }
    let orders = DatabaseID(project: "p", database: "orders")
    let other = DatabaseID(project: "q", database: "orders")
    let withoutRules: StatusCode = isDevelopment ? .notFound : .permissionDenied
    #expect(try await get(fixture, in: orders) == withoutRules)
    try fixture.deploy("match /d/{id} { allow get: if false; }")
    #expect(try await get(fixture, in: orders) == .permissionDenied)
    try fixture.deploy("match /d/{id} { allow get; }")
    #expect(try await get(fixture, in: orders) == withoutRules)
    // Another project's are none of its own.
    #expect(try await get(fixture, in: other) == withoutRules)
    try fixture.deploy("match /d/{id} { allow get: if false; }", in: orders)
    #expect(try await get(fixture, in: orders) == .permissionDenied)
    #expect(try await get(fixture, in: DatabaseID(project: "p")) == .notFound)
    try fixture.service.rules.deleteRelease(.firestore(orders))
    #expect(try await get(fixture, in: orders) == withoutRules)
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

  func caller(holding token: Substring, isSecure: Bool) throws(FirestoreError) -> Caller {
    asked.withLock { $0 += 1 }
    if isRevoked.withLock({ $0 }) { throw AccessControl.invalidCredentials }
    if token == "administrator" { return .administrator }
    return .user(
      UserIdentity(project: "p", uid: "u", claims: MapValue(), expiry: .max, issued: 0)
    )
  }

  func isValid(_ identity: UserIdentity) -> Bool { !isRevoked.withLock { $0 } }

  func onRevocation(_ observer: @escaping @Sendable (Text, Text) -> Void) {}
}
