import Authentication
import Synchronization
import Testing

@testable import Console

struct PasskeyChallengesTests {
  private func challenges() -> PasskeyChallenges {
    PasskeyChallenges(random: .system) { 1_000_000 }
  }

  @Test func `a challenge is good once, for its purpose, of its process`() {
    let challenges = challenges()
    let made = challenges.make(for: "sign-in")
    #expect(!challenges.redeem(made, for: "registration"))
    #expect(!self.challenges().redeem(made, for: "sign-in"))
    #expect(challenges.redeem(made, for: "sign-in"))
    #expect(!challenges.redeem(made, for: "sign-in"))
    #expect(!challenges.redeem(String(made.dropLast(2)), for: "sign-in"))
  }

  @Test func `a challenge expires after five minutes`() {
    final class Clock: Sendable {
      let time = Mutex<Int64>(1_000_000)
    }
    let clock = Clock()
    let challenges = PasskeyChallenges(random: .system) { clock.time.withLock { $0 } }
    let made = challenges.make(for: "sign-in")
    clock.time.withLock { $0 += 300_000_000 }
    #expect(!challenges.redeem(made, for: "sign-in"))
    clock.time.withLock { $0 -= 1 }
    #expect(challenges.redeem(made, for: "sign-in"))
  }
}
