import Testing

import ServiceModule

@Suite struct NetworkQuotaTests {
  @Test func `each network has its share of an hour`() {
    let quota = NetworkQuota(limit: 2, networks: 2)
    let hour: Int64 = 3_600_000_000
    #expect((0..<3).map { _ in quota.take("a", now: hour) } == [true, true, false])
    #expect(quota.take("b", now: hour))
    // Networks that are not told apart share one.
    #expect(["c", "d", "e"].map { quota.take($0, now: hour) } == [true, true, false])
    #expect(quota.take("a", now: 2 * hour))
  }
}
