import Synchronization
import Testing

@testable import Outbound

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Names whose servers take their time.
@Suite(.timeLimit(.minutes(10))) struct NameLookupsTests {
  /// A lookup that blocks for names of one domain until the test lets go.
  private final class SlowNames: Sendable {
    private let isOpen = Mutex(false)
    private let asked = Mutex<[String: Int]>([:])

    var counts: [String: Int] { asked.withLock { $0 } }

    func letGo() { isOpen.withLock { $0 = true } }

    func resolve(_ name: String) -> [NetworkAddress] {
      asked.withLock { $0[name, default: 0] += 1 }
      while name.hasSuffix("slow.example"), !isOpen.withLock({ $0 }) { sched_yield() }
      return NetworkAddress("192.0.2.1").map { [$0] } ?? []
    }
  }

  @Test func `a slow name holds up no other, however many ask for it`() async throws {
    let names = SlowNames()
    let lookups = NameLookups(limit: .seconds(3_600)) { names.resolve($0) }
    let slow = (0..<100).map { _ in Task { try await lookups.addresses(of: "slow.example") } }
    while !Task.isCancelled, names.counts["slow.example"] == nil { await Task.yield() }
    #expect(try await lookups.addresses(of: "quick.example").count == 1)
    names.letGo()
    for task in slow { #expect(try await task.value.count == 1) }
    #expect(names.counts["quick.example"] == 1)
  }

  @Test func `nobody waits longer than the limit, and numbers are not looked up`() async throws {
    let names = SlowNames()
    let lookups = NameLookups(limit: .milliseconds(50)) { names.resolve($0) }
    for _ in 0..<2 {
      await #expect(throws: OutboundError.self) {
        try await lookups.addresses(of: "slow.example")
      }
    }
    #expect(try await lookups.addresses(of: "::1").count == 1)
    // On a busy machine nobody waits any more when the lookup begins.
    while !Task.isCancelled, names.counts["slow.example"] == nil { await Task.yield() }
    #expect(names.counts == ["slow.example": 1])
    names.letGo()
  }
}
