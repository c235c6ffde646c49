import FirestoreModel
import FirestoreWire
import Testing

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

  @Test func `a key does not show itself`() {
    #expect(!"\(Self.key)".contains("secret"))
    #expect(!String(reflecting: Self.key).contains("secret"))
  }
}
