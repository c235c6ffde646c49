import Access
import BaseRuntime
import BaseStatus
import FirestoreModel
import HTTPTypes
import Logging
import ServiceModule
import Testing

/// Tests that the memory of parsed bodies counts like their bytes.
@Suite struct ParsedBodyTests {
  /// A pool all of which one client has where nobody else holds anything.
  private static func limits(_ bytes: Int) -> ByteLedger.Limits {
    var limits = ByteLedger.Limits()
    (limits.poolBytes, limits.anonymousPoolBytes) = (bytes, bytes)
    (limits.anonymousAllowance, limits.trustedAllowance) = (0, 0)
    return limits
  }

  /// A list of so many numbers; its values take about 42 bytes each.
  private static func list(_ count: Int) -> String {
    "[\(Array(repeating: "0", count: count).joined(separator: ","))]"
  }

  private static func request(_ body: String, _ account: LedgerAccount) -> ServiceRequest {
    let parts = AsyncThrowingStream<[UInt8], any Error> { continuation in
      continuation.yield(Array(body.utf8))
      continuation.finish()
    }
    return ServiceRequest(
      head: HTTPRequest(method: .post, scheme: "http", authority: "x", path: "/"),
      parameters: [:],
      rest: [],
      context: CallContext(
        requestID: "1",
        authorization: nil,
        isSecure: false,
        account: account
      ),
      address: "",
      isHTTP2: false,
      logger: Logger(label: "test"),
      body: ServiceBody(parts)
    )
  }

  @Test func `what a body's values take counts until its request is gone`() async throws {
    let ledger = ByteLedger(limits: Self.limits(200_000))
    let account = ledger.account(of: .ipv4(1))
    var request: ServiceRequest? = Self.request(Self.list(1_000), account)
    #expect(try await request?.collectText(upTo: 10_000).count == 2_001)
    #expect((40_000...50_000).contains(ledger.bytes(of: .request)))
    request = nil
    #expect(ledger.bytes(of: .request) == 0)
    let large = Self.request(Self.list(5_000), account)
    let error = await #expect(throws: ServiceError.self) {
      try await large.collectText(upTo: 20_000)
    }
    #expect(error?.code == .resourceExhausted)
    #expect(ledger.poolBytes == 0)
  }

  @Test func `an account call whose values find no room is refused`() async throws {
    try await IdentityFixture.with(memory: Self.limits(600_000)) { fixture in
      let refused = try await fixture.client("signUp", Self.list(20_000))
      #expect(refused.status == 429)
      #expect(refused.body.contains("RESOURCE_EXHAUSTED"))
      let malformed = try await fixture.client("signUp", Self.list(10))
      #expect(malformed.status == 400)
      let email = #"{"email":"ana@shop.example","password":"a password 1"}"#
      #expect(try await fixture.client("signUp", email).status == 200)
    }
  }
}
