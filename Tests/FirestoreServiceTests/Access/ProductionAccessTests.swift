import AccessTestSupport
import BaseStatus
import FirestoreModel
import FirestoreWire
import Testing

@testable import Access
@testable import FirestoreService

struct ProductionAccessTests {
  private static let key = AdministratorKey("brasa-admin-secret")

  @Test(arguments: RPCMethod.allCases)
  func `nobody learns anything in production, not even that a request is malformed`(
    method: RPCMethod
  ) async throws {
    let fixture = try ServiceFixture(.production(key: Self.key))
    let context = ServiceFixture.context()
    for request in [[], [0xFF, 0xFF, 0xFF]] as [[UInt8]] {
      let unary = await #expect(throws: ServiceError.self) {
        try await fixture.unary(method, request, context)
      }
      let stream = await #expect(throws: ServiceError.self) {
        try await fixture.messages(method, request, context)
      }
      #expect(unary?.code == .permissionDenied && stream?.code == .permissionDenied)
    }
    let admin = await #expect(throws: ServiceError.self) {
      try await fixture.administer("GET", "/v1/projects/p/databases")
    }
    #expect(admin?.code == .permissionDenied)
    fixture.close()
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
    } catch let error as ServiceError {
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
}
