import AccessTestSupport
import BaseStatus
import Testing

@testable import Access
@testable import FirestoreService

/// Tests of the callers that may begin a transaction, and of how many they may begin.
struct TransactionRightTests {
  private func fixture(_ rules: String, transactions: Int? = nil) throws -> ServiceFixture {
    try ServiceFixture(
      .production(key: AdministratorKey(MatrixCaller.key)),
      verifier: TestVerifier(),
      rules: rules,
      transactions: transactions
    )
  }

  private func begin(
    _ fixture: ServiceFixture,
    _ caller: MatrixCaller,
    network: String = "",
    _ path: String = ":beginTransaction",
    _ body: String = "{}"
  ) async -> StatusCode? {
    let context = ServiceFixture.context(
      authorization: caller.authorization,
      network: network
    )
    do {
      _ = try await fixture.call("POST", path, body, context: context)
      return nil
    } catch {
      return (error as? ServiceError)?.code
    }
  }

  @Test(arguments: [
    ("match /c/{id} { allow read, write: if false; }", false, false),
    ("match /c/{id} { allow read, write: if request.auth != null; }", false, true),
    ("match /c/{id} { allow read: if request.auth.uid == resource.data.owner; }", false, true),
    ("match /c/{id} { allow read; }", true, true),
  ])
  func `there is no transaction for whom the rules could allow nothing`(
    rules: String,
    forNobody: Bool,
    forAlice: Bool
  ) async throws {
    let fixture = try fixture(rules)
    defer { fixture.close() }
    let reading =
      #"{"documents":["\#(ServiceFixture.documents)/c/x"],"newTransaction":{"readWrite":{}}}"#
    for (caller, isTaken) in [
      (MatrixCaller.nobody, forNobody), (.alice, forAlice), (.administrator, true),
    ] {
      #expect(await begin(fixture, caller) == (isTaken ? nil : .permissionDenied), "\(caller)")
      if !isTaken {
        #expect(await begin(fixture, caller, ":batchGet", reading) == .permissionDenied)
      }
    }
  }

  @Test func `callers share the transactions by network and by account`() async throws {
    let fixture = try fixture("match /c/{id} { allow read; }", transactions: 400)
    defer { fixture.close() }
    var held = 0
    while await begin(fixture, .nobody, network: "a") == nil { held += 1 }
    // A network's half of three quarters.
    #expect(held == 150)
    #expect(await begin(fixture, .nobody, network: "a") == .resourceExhausted)
    #expect(await begin(fixture, .alice, network: "a") == .resourceExhausted)
    #expect(await begin(fixture, .nobody, network: "b") == nil)
    #expect(await begin(fixture, .alice, network: "b") == nil)
    #expect(await begin(fixture, .administrator, network: "a") == nil)
  }
}
