import BaseRuntime
import BaseText
import DocumentStore
import FirestoreModel
import Testing

@testable import Realtime

/// Tests that data that waits for the hub and for its clients counts on the process's ledger.
@Suite struct LedgerTests {
  /// A ledger of that many bytes, of which nobody has any for nothing.
  private static func ledger(_ bytes: Int) -> ByteLedger {
    var limits = ByteLedger.Limits()
    (limits.poolBytes, limits.anonymousPoolBytes) = (bytes, bytes)
    (limits.anonymousAllowance, limits.trustedAllowance) = (0, 0)
    return ByteLedger(limits: limits)
  }

  private static func document(_ number: Int) -> Write {
    set(
      ResourcePath(["a", Text("d\(number)")]),
      ["t": .string(Text(String(repeating: "x", count: 1_000)))]
    )
  }

  @Test
  func `commits that wait for the hub take from the pool, and listeners go where it is used up`()
    async throws
  {
    let ledger = Self.ledger(40_000)
    let fixture = try HubFixture(feedAccount: ledger.serverAccount())
    let client = fixture.client()
    client.listen(query("a"))
    fixture.settle()
    for number in 0..<5 { try await fixture.commit(Self.document(number)) }
    #expect(ledger.bytes(of: .feed) == fixture.feed.bytes)
    #expect(ledger.bytes(of: .feed) > 5_000)
    fixture.settle()
    #expect(ledger.poolBytes == 0)
    #expect(client.contents().count == 5)
    for number in 5..<100 { try await fixture.commit(Self.document(number)) }
    // One holder grows to a third of the pool.
    #expect((10_000...14_000).contains(ledger.bytes(of: .feed)))
    fixture.settle()
    #expect(client.state.error?.code == .unavailable)
    #expect(ledger.poolBytes == 0)
    let again = fixture.client()
    again.listen(query("a"))
    fixture.settle()
    #expect(again.contents().count == 100)
    try fixture.close()
  }

  @Test
  func `changes that wait for a client take from its share, beyond which its targets are reset`()
    async throws
  {
    let ledger = Self.ledger(30_000)
    let fixture = try HubFixture()
    let client = fixture.client(account: ledger.account(of: .ipv4(1)))
    let other = fixture.client(account: ledger.account(of: .ipv4(2)))
    for client in [client, other] { client.listen(query("a")) }
    fixture.settle()
    client.change { $0.budget = 1 }
    try await fixture.commit(Self.document(0))
    fixture.settle()
    for number in 1..<5 { try await fixture.commit(Self.document(number)) }
    fixture.settle()
    #expect((4_000..<8_000).contains(ledger.bytes(of: .listener)))
    for number in 5..<40 {
      try await fixture.commit(Self.document(number))
      fixture.settle()
      #expect(ledger.bytes(of: .listener) <= 15_000)
    }
    #expect(ledger.bytes(of: .listener) == 0)
    #expect(other.contents().count == 40)
    client.change { $0.budget = .max }
    client.stream.resume()
    fixture.settle()
    #expect(client.takeFrames().contains("0 1"))
    #expect(client.contents().count == 40)
    #expect(ledger.bytes(of: .listener) == 0)
    try fixture.close()
  }

  @Test func `a client that goes leaves nothing on the ledger`() async throws {
    let ledger = Self.ledger(1 << 20)
    let fixture = try HubFixture()
    let client = fixture.client(account: ledger.account(of: .ipv4(1)))
    client.listen(query("a"))
    fixture.settle()
    client.change { $0.budget = 1 }
    for number in 0..<3 {
      try await fixture.commit(Self.document(number))
      fixture.settle()
    }
    #expect(ledger.bytes(of: .listener) > 0)
    client.stream.close()
    fixture.settle()
    #expect(ledger.bytes(of: .listener) == 0)
    try fixture.close()
  }
}
