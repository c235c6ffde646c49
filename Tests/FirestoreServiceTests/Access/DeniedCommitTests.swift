import AccessTestSupport
import BaseStatus
import FirestoreModel
import Testing

@testable import Access
@testable import FirestoreService

/// Tests that a caller who may not write does not wait for those who may.
struct DeniedCommitTests {
  private static let held = "products/b1"

  @Test(arguments: [false, true], [[held], ["products/a1", held]])
  func `a denied commit takes no lock`(
    isInTransaction: Bool,
    paths: [String]
  ) async throws {
    let fixture = try ServiceFixture(
      .production(key: AdministratorKey(MatrixCaller.key)),
      verifier: TestVerifier(),
      rules: MatrixOperation.rules
    )
    defer { fixture.close() }
    try await fixture.fillForMatrix(DatabaseID(project: "p"))
    let own = isInTransaction ? try await begin(fixture, .alice) : nil
    let transaction = try await begin(fixture, .administrator)
    let name = "\(ServiceFixture.documents)/\(Self.held)"
    let reading = #"{"documents":["\#(name)"],"transaction":"\#(transaction)"}"#
    _ = try await call(fixture, .administrator, ":batchGet", reading)
    // Were it to wait for the administrator's transaction, another code would come, and late.
    let refusal = await #expect(throws: ServiceError.self) {
      try await call(fixture, .alice, ":commit", Self.updating(paths, in: own))
    }
    #expect(refusal?.code == .permissionDenied)
    let change = Self.updating([Self.held], in: transaction)
    let answer = try await call(fixture, .administrator, ":commit", change)
    #expect(answer.contains("commitTime"))
  }

  private func begin(_ fixture: ServiceFixture, _ caller: MatrixCaller) async throws -> String {
    let answer = try await call(fixture, caller, ":beginTransaction", "{}")
    return try #require(answer.split(separator: "\"").map(String.init).last { $0.count > 15 })
  }

  private func call(
    _ fixture: ServiceFixture,
    _ caller: MatrixCaller,
    _ path: String,
    _ body: String
  ) async throws -> String {
    let context = ServiceFixture.context(authorization: caller.authorization)
    return try await fixture.call("POST", path, body, context: context).joined()
  }

  private static func updating(_ paths: [String], in transaction: String?) -> String {
    let writes = paths.map { path -> String in
      MatrixOperation.updating(ServiceFixture.documents, path, owner: "alice")
    }
    let ending = transaction.map { #","transaction":"\#($0)""# } ?? ""
    return #"{"writes":[\#(writes.joined(separator: ","))]\#(ending)}"#
  }
}
