import BaseJSON
import BaseRuntime
import BaseStatus
import FirestoreModel
import ServiceModule
import Testing

@testable import Access
@testable import FirestoreService

/// Tests that the memory that calls make the process hold below the gateway counts on their
/// connection's account.
@Suite(.timeLimit(.minutes(10))) struct LedgerTests {
  private static func ledger(_ bytes: Int) -> ByteLedger {
    var limits = ByteLedger.Limits()
    (limits.poolBytes, limits.anonymousPoolBytes) = (bytes, bytes)
    (limits.anonymousAllowance, limits.trustedAllowance) = (0, 0)
    return ByteLedger(limits: limits)
  }

  private static func text(_ bytes: Int) -> String {
    "{\"fields\":{\"t\":{\"stringValue\":\"\(String(repeating: "x", count: bytes))\"}}}"
  }

  /// Returns once nothing is held: what holds a commit's bytes goes just behind its response.
  private static func awaitNothing(in bytes: () -> Int) async {
    while !Task.isCancelled, bytes() != 0 { await Task.yield() }
  }

  @Test func `a commit counts until it is answered, and is refused where there is no room`()
    async throws
  {
    let fixture = try ServiceFixture()
    let ledger = Self.ledger(15_000)
    let context = ServiceFixture.context(account: ledger.account(of: .ipv4(1)))
    _ = try await fixture.call("PATCH", "/c/small", Self.text(1_000), context: context)
    await Self.awaitNothing { ledger.bytes(of: .commit) }
    let error = await #expect(throws: ServiceError.self) {
      try await fixture.call("PATCH", "/c/large", Self.text(10_000), context: context)
    }
    #expect(error?.code == .resourceExhausted)
    await Self.awaitNothing { ledger.poolBytes }
    // Another client's share is its own, and the commit left nothing behind.
    let other = Self.ledger(100_000).account(of: .ipv4(2))
    _ = try await fixture.call(
      "PATCH",
      "/c/large",
      Self.text(10_000),
      context: ServiceFixture.context(account: other)
    )
    await Self.awaitNothing { other.bytes }
    fixture.close()
  }

  @Test func `who has shown credentials since the connection was opened has the larger share`()
    async throws
  {
    let fixture = try ServiceFixture()
    var limits = ByteLedger.Limits()
    (limits.poolBytes, limits.anonymousPoolBytes) = (100_000, 1_000)
    (limits.anonymousAllowance, limits.trustedAllowance) = (0, 0)
    let account = ByteLedger(limits: limits).account(of: .ipv4(1))
    let memory = CallerMemory()
    let context = ServiceFixture.context(
      authorization: "Bearer owner",
      memory: memory,
      account: account
    )
    _ = try await fixture.call("PATCH", "/c/x", Self.text(5_000), context: context)
    #expect(account.isTrusted)
    fixture.close()
  }

  @Test func `documents of a batch get count while they are read and sent`() async throws {
    let fixture = try ServiceFixture()
    for id in ["a", "b", "d"] { _ = try await fixture.call("PATCH", "/c/\(id)", Self.text(4_000)) }
    let names = ["a", "b", "d"].map { "\"\(ServiceFixture.documents)/c/\($0)\"" }
    let body = "{\"documents\":[\(names.joined(separator: ","))]}"
    let narrow = Self.ledger(20_000)
    let error = await #expect(throws: ServiceError.self) {
      let context = ServiceFixture.context(account: narrow.account(of: .ipv4(1)))
      return try await fixture.call("POST", ":batchGet", body, context: context)
    }
    #expect(error?.code == .resourceExhausted)
    await Self.awaitNothing { narrow.poolBytes }
    let wide = Self.ledger(60_000)
    let context = ServiceFixture.context(account: wide.account(of: .ipv4(1)))
    #expect(try await fixture.call("POST", ":batchGet", body, context: context).count == 3)
    await Self.awaitNothing { wide.poolBytes }
    fixture.close()
  }

  @Test(arguments: ["{\"a\":[1,2,3]}", "[[],{},[{}]]", "\"text\""])
  func `the estimate of a parsed text is above its length`(json: String) throws {
    _ = try JSONParser.parse(Array(json.utf8))
    #expect(ParsedText.bytes(of: Array(json.utf8)) >= json.utf8.count)
  }

  @Test func `a text of many small values is estimated at what they take`() {
    let json = Array("[\(Array(repeating: "0", count: 1_000).joined(separator: ","))]".utf8)
    let least = 1_000 * MemoryLayout<JSONValue>.stride
    #expect((least...4 * least).contains(ParsedText.bytes(of: json)))
  }
}
