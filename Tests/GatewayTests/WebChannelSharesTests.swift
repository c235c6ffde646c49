import BaseRuntime
import BaseText
import ModelTestSupport
import Testing

@testable import Gateway

/// Tests of the number of sessions that a client may have.
@Suite struct WebChannelSharesTests {
  private typealias Holder = WebChannelShares.Holder

  private static func user(_ uid: Text) -> Holder { .user(project: "p", uid: uid) }

  private static func admit(
    _ shares: inout WebChannelShares,
    _ holder: Holder,
    at address: ClientAddress
  ) -> Bool { shares.admit(holder, at: address) }

  /// Returns the number of sessions that are admitted in a row.
  private static func fill(
    _ shares: inout WebChannelShares,
    _ holder: (Int) -> Holder,
    at address: (Int) -> ClientAddress
  ) -> Int {
    var count = 0
    while shares.admit(holder(count), at: address(count)) { count += 1 }
    return count
  }

  @Test func `an address without credentials fills a quarter of the table, and leaves others room`()
  {
    var shares = WebChannelShares(limit: 10_000)
    #expect(Self.fill(&shares, { _ in .nobody }, at: { _ in .ipv4(1) }) == 2_500)
    #expect(Self.fill(&shares, { _ in .nobody }, at: { _ in .ipv4(2) }) == 1_250)
    #expect(Self.admit(&shares, Self.user("ana"), at: .ipv4(3)))
    #expect(Self.admit(&shares, .administrator, at: .ipv4(1)))
  }

  @Test func `addresses without end fill half of the table, and users have the rest`() {
    var shares = WebChannelShares(limit: 10_000)
    #expect(Self.fill(&shares, { _ in .nobody }, at: { .ipv6(UInt64($0)) }) == 5_000)
    #expect(Self.fill(&shares, { _ in Self.user("ana") }, at: { .ipv4(UInt32($0)) }) == 2_500)
    #expect(Self.admit(&shares, Self.user("bob"), at: .ipv4(7)))
  }

  @Test func `an address of many users has half of what is free`() {
    var shares = WebChannelShares(limit: 1_000)
    #expect(Self.fill(&shares, { Self.user(Text("u\($0)")) }, at: { _ in .ipv4(1) }) == 500)
    #expect(Self.fill(&shares, { _ in .administrator }, at: { _ in .ipv4(1) }) == 500)
    #expect(!Self.admit(&shares, Self.user("other"), at: .ipv4(2)), "the table is full")
  }

  @Test func `a table of one session has room for one`() {
    for holder in [Holder.nobody, Self.user("ana"), .administrator] {
      var shares = WebChannelShares(limit: 1)
      #expect(Self.fill(&shares, { _ in holder }, at: { _ in .ipv4(1) }) == 1, "\(holder)")
    }
  }

  @Test func `what is released may be had again, whatever came between`() {
    var random = SystemRandomNumberGenerator()
    let seed = random.next()
    var source = SeededSource(seed: seed)
    var shares = WebChannelShares(limit: 64)
    var open: [(Holder, ClientAddress)] = []
    for _ in 0..<5_000 {
      let address = ClientAddress.ipv4(UInt32.random(in: 0..<6, using: &source))
      let holder = [Holder.nobody, Self.user("ana"), Self.user("bob"), .administrator]
        .randomElement(using: &source)
      if Bool.random(using: &source), let holder {
        if shares.admit(holder, at: address) { open.append((holder, address)) }
      } else if !open.isEmpty {
        let (holder, address) = open.remove(at: Int.random(in: 0..<open.count, using: &source))
        shares.release(holder, at: address)
      }
    }
    for (holder, address) in open { shares.release(holder, at: address) }
    let count = Self.fill(&shares, { _ in .nobody }, at: { _ in .ipv4(1) })
    #expect(count == 16, "seed \(seed)")
  }
}
