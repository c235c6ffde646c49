import BaseText
import Testing

@testable import Authentication

/// Tests of the callers that wrong passwords stop, and of those that they never stop.
struct AttemptLimitsTests {
  private let clock = ManualClock(AccountsFixture.start)
  private let limits: AttemptLimits

  init() { limits = AttemptLimits(.init(), clock: clock.clock) }

  private func wrong(_ account: Text, _ address: String) -> Bool {
    (try? limits.enterPassword(account: account, from: .client(address: address))) != nil
  }

  private func right(_ account: Text, _ address: String) -> Bool {
    let origin = RequestOrigin.client(address: address)
    guard let attempt = try? limits.enterPassword(account: account, from: origin) else {
      return false
    }
    limits.giveBack(attempt)
    return true
  }

  @Test func `an address gets ten tries at an account, and more as time goes by`() {
    #expect((0..<30).count { _ in wrong("ana", "203.0.113.7") } == 10)
    clock.advance(seconds: 60)
    #expect((0..<30).count { _ in wrong("ana", "203.0.113.7") } == 1)
    clock.advance(seconds: 6_000)
    #expect((0..<30).count { _ in wrong("ana", "203.0.113.7") } == 10)
  }

  @Test func `right passwords cost nothing`() {
    for _ in 0..<1_000 { #expect(right("ana", "203.0.113.7")) }
  }

  @Test func `lock-out: a storm from one address leaves the owner alone`() {
    for _ in 0..<10_000 { _ = wrong("ana", "203.0.113.7") }
    #expect(right("ana", "198.51.100.9"))
  }

  @Test func `lock-out: a storm from everywhere leaves the owner's own addresses alone`() {
    #expect(right("ana", "198.51.100.9"))
    var allowed = 0
    for host in 0..<250 {
      let address = "203.0.113.\(host)"
      allowed += (0..<10).count { _ in wrong("ana", address) }
    }
    // All of the world together has as many tries as the account gives.
    #expect(allowed == 100)
    #expect(right("ana", "198.51.100.9"))
    // Other accounts are not concerned.
    #expect(right("bia", "192.0.2.1"))
  }

  @Test func `lock-out: an email's code opens a new address in the storm`() {
    for host in 0..<20 { for _ in 0..<10 { _ = wrong("ana", "203.0.113.\(host)") } }
    #expect(!right("ana", "192.0.2.1"))
    limits.befriend(account: "ana", .client(address: "192.0.2.1"))
    #expect(right("ana", "192.0.2.1"))
    #expect(!right("ana", "192.0.2.2"))
  }

  @Test func `lock-out: a known device has tries of its own in the storm`() {
    for host in 0..<20 { for _ in 0..<10 { _ = wrong("ana", "203.0.113.\(host)") } }
    #expect(!right("ana", "192.0.2.1"))
    func tries(_ address: String, _ device: Text) -> Bool {
      let origin = RequestOrigin.client(address: address)
      return (try? limits.enterPassword(account: "ana", from: origin, device: device)) != nil
    }
    // Ten, wherever the device is taken to, so that a stolen one opens no new storm.
    #expect((0..<30).count { tries("192.0.2.\($0)", "phone") } == 10)
    #expect(tries("192.0.2.99", "tablet"))
    #expect(!right("ana", "192.0.2.100"))
  }

  @Test func `one address is stopped over all accounts`() {
    let tried = (0..<200).count { wrong(Text("account\($0)"), "203.0.113.7") }
    #expect(tried == 60)
  }

  @Test func `all addresses of an IPv6 network count as one`() {
    let tried = (0..<50).count { wrong("ana", "2001:db8:1:2::\(String($0 + 1, radix: 16))") }
    #expect(tried == 10)
    #expect(wrong("ana", "2001:db8:1:3::1"))
    // An IPv4 address is the same one in IPv6's clothes.
    #expect((0..<30).count { wrong("bia", $0 % 2 == 0 ? "192.0.2.1" : "::ffff:192.0.2.1") } == 10)
  }

  @Test func `memory is bounded, and forgets the harmless first`() {
    for _ in 0..<10 { _ = wrong("ana", "203.0.113.7") }
    for number in 0..<60_000 {
      _ = wrong(Text("account\(number)"), "10.\(number >> 16).\(number >> 8 & 255).\(number & 255)")
    }
    #expect(!wrong("ana", "203.0.113.7"))
  }
}
