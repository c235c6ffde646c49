import BaseRuntime
import ModelTestSupport
import Testing

@Suite struct ByteLedgerTests {
  private static let here = ClientAddress.ipv4(1)
  private static let there = ClientAddress.ipv4(2)

  private static let nothing = ByteLedger.Kind.allCases.map { _ in 0 }

  private static func ledger(pool: Int = 1_000, anonymous: Int = 600) -> ByteLedger {
    var limits = ByteLedger.Limits()
    limits.poolBytes = pool
    limits.anonymousPoolBytes = anonymous
    limits.anonymousAllowance = 10
    limits.trustedAllowance = 20
    return ByteLedger(limits: limits)
  }

  @Test func `what is within the allowance is not taken from the pool`() {
    let ledger = Self.ledger()
    let account = ledger.account(of: Self.here)
    #expect(account.reserve(10, for: .request))
    #expect(ledger.poolBytes == 0)
    #expect(ledger.bytes(of: .request) == 10)
    #expect(account.reserve(5, for: .response))
    #expect(ledger.poolBytes == 5)
    account.release(10, for: .request)
    #expect(ledger.poolBytes == 0)
    #expect(ledger.bytes(of: .request) == 0)
    #expect(ledger.bytes(of: .response) == 5)
  }

  @Test func `one account gets a third of an idle pool`() {
    let ledger = Self.ledger()
    let account = ledger.account(of: Self.here)
    #expect(account.reserve(210, for: .request))
    #expect(!account.reserve(1, for: .request))
    #expect(account.bytes == 210)
    #expect(ledger.poolBytes == 200)
  }

  @Test func `however many accounts of an address press, others find room`() {
    let ledger = Self.ledger(pool: 100_000, anonymous: 60_000)
    let greedy = (0..<1_000).map { _ in ledger.account(of: Self.here) }
    for account in greedy { while account.reserve(7, for: .request) {} }
    #expect(ledger.poolBytes <= 30_000)
    let other = ledger.account(of: Self.there)
    #expect(other.reserve(9_000, for: .request))
  }

  @Test func `however many addresses press, credentials find room`() {
    let ledger = Self.ledger(pool: 100_000, anonymous: 60_000)
    let greedy = (0..<1_000).map { ledger.account(of: .ipv4(UInt32($0))) }
    for account in greedy { while account.reserve(7, for: .request) {} }
    #expect(ledger.poolBytes <= 60_000)
    let known = ledger.account(of: .ipv6(1))
    #expect(!known.reserve(10_000, for: .request))
    known.trust()
    #expect(known.reserve(10_000, for: .request))
  }

  @Test func `credentials move what an account holds out of the anonymous part`() {
    let ledger = Self.ledger()
    let account = ledger.account(of: Self.here)
    #expect(account.reserve(210, for: .request))
    account.trust()
    #expect(ledger.poolBytes == 190)
    #expect(ledger.account(of: Self.there).reserve(210, for: .request))
    #expect(account.reserve(10, for: .request))
  }

  @Test func `what is held already is counted beyond the share`() {
    let ledger = Self.ledger()
    let account = ledger.account(of: Self.here)
    account.charge(5_000, for: .response)
    #expect(ledger.poolBytes == 4_990)
    #expect(!account.reserve(1, for: .request))
    account.release(5_000, for: .response)
    #expect(account.reserve(1, for: .request))
  }

  @Test func `a closed account has given everything back`() {
    let ledger = Self.ledger()
    let account = ledger.account(of: Self.here)
    #expect(account.reserve(100, for: .session))
    account.charge(1_000, for: .response)
    account.close()
    #expect(ledger.poolBytes == 0)
    #expect(ByteLedger.Kind.allCases.allSatisfy { ledger.bytes(of: $0) == 0 })
    #expect(!account.reserve(1, for: .session))
    account.release(100, for: .session)
    account.close()
    #expect(ledger.poolBytes == 0)
  }

  @Test func `an account that is let go of has given everything back`() {
    let ledger = Self.ledger()
    do {
      let account = ledger.account(of: Self.here)
      #expect(account.reserve(100, for: .session))
    }
    #expect(ledger.poolBytes == 0)
    #expect(ledger.bytes(of: .session) == 0)
  }

  @Test(arguments: [UInt64](1...5))
  func `whatever accounts do, the pool's use is the sum of theirs`(seed: UInt64) {
    var random = SeededSource(seed: seed)
    let ledger = Self.ledger()
    var held: [(account: LedgerAccount, bytes: [Int])] = (0..<8).map {
      (ledger.account(of: .ipv4(UInt32($0 % 3))), Self.nothing)
    }
    for _ in 0..<5_000 {
      let index = Int.random(in: 0..<held.count, using: &random)
      let kind = ByteLedger.Kind.allCases.randomElement(using: &random) ?? .request
      let amount = Int.random(in: 0...50, using: &random)
      switch Int.random(in: 0..<20, using: &random) {
      case 0..<8:
        if held[index].account.reserve(amount, for: kind) {
          held[index].bytes[kind.rawValue] += amount
        }
      case 8:
        held[index].account.charge(amount, for: kind); held[index].bytes[kind.rawValue] += amount
      case 9: held[index].account.trust()
      case 10:
        held[index].account.close()
        held[index] = (ledger.account(of: .ipv4(UInt32(index % 3))), Self.nothing)
      default:
        let amount = min(amount, held[index].bytes[kind.rawValue])
        held[index].account.release(amount, for: kind)
        held[index].bytes[kind.rawValue] -= amount
      }
      for kind in ByteLedger.Kind.allCases {
        #expect(
          ledger.bytes(of: kind) == held.reduce(0) { $0 + $1.bytes[kind.rawValue] },
          "seed \(seed)"
        )
      }
    }
    for (account, _) in held { account.close() }
    #expect(ledger.poolBytes == 0, "seed \(seed)")
  }
}
