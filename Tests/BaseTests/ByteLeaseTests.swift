import BaseRuntime
import Testing

@Suite struct ByteLeaseTests {
  private static func account(_ ledger: ByteLedger) -> LedgerAccount {
    ledger.account(of: .ipv4(1))
  }

  private static func ledger() -> ByteLedger {
    var limits = ByteLedger.Limits()
    (limits.poolBytes, limits.anonymousPoolBytes) = (1_000, 1_000)
    (limits.anonymousAllowance, limits.trustedAllowance) = (0, 0)
    return ByteLedger(limits: limits)
  }

  @Test func `a lease holds its bytes until it is gone, its account open or closed`() throws {
    let ledger = Self.ledger()
    let account = Self.account(ledger)
    do {
      let lease = try #require(ByteLease(account, 100, for: .commit))
      #expect(ledger.bytes(of: .commit) == 100)
      #expect(lease.bytes == 100)
    }
    #expect(ledger.bytes(of: .commit) == 0)
    do {
      let lease = try #require(ByteLease(account, 100, for: .feed))
      account.close()
      #expect(ledger.bytes(of: .feed) == 0)
      #expect(!lease.resize(to: 200))
    }
    #expect(ledger.poolBytes == 0)
  }

  @Test func `a lease grows where there is room and shrinks always`() throws {
    let ledger = Self.ledger()
    let lease = try #require(ByteLease(Self.account(ledger), for: .listener))
    #expect(lease.resize(to: 300))
    #expect(!lease.resize(to: 900))
    #expect(lease.bytes == 300)
    #expect(ledger.bytes(of: .listener) == 300)
    #expect(lease.resize(to: 20))
    #expect(ledger.poolBytes == 20)
    #expect(ByteLease(Self.account(ledger), 2_000, for: .listener) == nil)
  }
}
