import Testing

@testable import ConfigTemplates

/// Tests of the variants to which percentages assign installations.
@Suite struct PercentTests {
  /// SHA-256 of the text as an integer modulo 100,000,000, computed by Python's `hashlib`.
  @Test(arguments: [
    ("", "abc", 17_089_965), ("seed", "abc", 48_301_625), ("é", "ã", 69_313_135),
    ("x:enrol", "cFid_1", 73_428_482), ("", "", 65_086_549),
  ])
  func `percentiles are those of the published rule`(_ seed: String, _ id: String, _ expected: Int)
  {
    #expect(PercentRange.percentile(of: id, seed: seed) == expected)
  }

  @Test func `intervals meet without a gap and without an overlap`() {
    let low = PercentRange(seed: "", .atMost(10))
    let high = PercentRange(seed: "", .above(10))
    let middle = PercentRange(seed: "", .between(10, 20))
    for percentile in 0...30 {
      #expect(low.contains(percentile) != high.contains(percentile))
      #expect(middle.contains(percentile) == (high.contains(percentile) && percentile <= 20))
    }
  }

  @Test func `buckets are even, and other under another seed`() {
    var counts = Array(repeating: 0, count: 20)
    var both = 0
    let number = 20_000
    for id in 0..<number {
      let percentile = PercentRange.percentile(of: "id\(id)", seed: "one")
      counts[percentile / 5_000_000] += 1
      let other = PercentRange.percentile(of: "id\(id)", seed: "two")
      if percentile < 50_000_000, other < 50_000_000 { both += 1 }
    }
    let mean = Double(number) / 20
    let chiSquare = counts.reduce(0) { $0 + (Double($1) - mean) * (Double($1) - mean) / mean }
    // 19 degrees of freedom; the ids are the same in every run.
    #expect(chiSquare < 43.8)
    #expect(abs(both - number / 4) < 250)
  }
}
