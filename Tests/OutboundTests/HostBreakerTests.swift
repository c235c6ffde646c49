import Testing

@testable import Outbound

@Suite struct HostBreakerTests {
  private static let start = ContinuousClock.now

  @Test func `a host that fails five times in a row is left alone for a second`() {
    var breaker = HostBreaker()
    for _ in 0..<HostBreaker.threshold {
      #expect(breaker.admit(at: Self.start) == .go)
      breaker.fail(at: Self.start)
    }
    #expect(breaker.admit(at: Self.start) == .wait(.seconds(1)))
    let later = Self.start + .milliseconds(400)
    #expect(breaker.admit(at: later) == .wait(.milliseconds(600)))
  }

  @Test func `a success between failures begins the count anew`() {
    var breaker = HostBreaker()
    for _ in 0..<3 {
      for _ in 0..<HostBreaker.threshold - 1 { breaker.fail(at: Self.start) }
      #expect(breaker.admit(at: Self.start) == .go)
      breaker.succeed()
    }
  }

  @Test func `after the pause one request tries the host and the others wait`() {
    var breaker = Self.opened()
    let later = Self.start + .seconds(1)
    #expect(breaker.admit(at: later) == .go)
    #expect(breaker.admit(at: later) == .wait(.seconds(1)))
    breaker.succeed()
    #expect(breaker.admit(at: later) == .go)
    #expect(breaker.admit(at: later) == .go)
  }

  @Test func `each trial that fails doubles the pause up to a minute`() {
    var breaker = Self.opened()
    var now = Self.start + .seconds(1)
    for seconds in [2, 4, 8, 16, 32, 60, 60] {
      #expect(breaker.admit(at: now) == .go)
      breaker.fail(at: now)
      #expect(breaker.admit(at: now) == .wait(.seconds(seconds)))
      now += .seconds(seconds)
    }
  }

  @Test func `a trial that is given up leaves the next one free at once`() {
    var breaker = Self.opened()
    let later = Self.start + .seconds(1)
    #expect(breaker.admit(at: later) == .go)
    breaker.abandon(at: later)
    #expect(breaker.admit(at: later) == .go)
  }

  @Test func `late failures and answers change nothing while the host is left alone`() {
    var breaker = Self.opened()
    breaker.fail(at: Self.start + .milliseconds(900))
    breaker.succeed()
    breaker.abandon(at: Self.start)
    #expect(breaker.admit(at: Self.start + .milliseconds(900)) == .wait(.milliseconds(100)))
  }

  @Test func `a host says itself how long it is left alone, an hour at most`() {
    var breaker = HostBreaker()
    breaker.pause(for: .seconds(90), at: Self.start)
    #expect(breaker.admit(at: Self.start) == .wait(.seconds(90)))
    breaker.pause(for: .seconds(90_000), at: Self.start)
    #expect(breaker.admit(at: Self.start) == .wait(.seconds(3_600)))
  }

  private static func opened() -> HostBreaker {
    var breaker = HostBreaker()
    for _ in 0..<HostBreaker.threshold { breaker.fail(at: start) }
    return breaker
  }
}
