import Testing

@testable import brasa_load

struct LatencyHistogramTests {
  @Test func `quantiles are right to about three percent`() {
    var histogram = LatencyHistogram()
    for value in Int64(1)...100_000 { histogram.add(value * 1_000) }
    for share in [0.001, 0.1, 0.5, 0.9, 0.99, 0.999, 1.0] {
      let exact = Double(Int64(100_000 * share) * 1_000)
      let error = abs(Double(histogram.quantile(share)) - exact) / exact
      #expect(error < 0.035, "share \(share)")
    }
    #expect(histogram.count == 100_000)
    #expect(histogram.longest == 100_000_000)
  }

  @Test(arguments: [0, 1, 31, 32, 33, 63, 64, 1_000, 1_000_000_007, 3_600_000_000_000] as [Int64])
  func `one value is every quantile`(value: Int64) {
    var histogram = LatencyHistogram()
    histogram.add(value)
    #expect(histogram.quantile(0.01) == value)
    #expect(histogram.quantile(1) == value)
  }

  @Test func `merging counts both`() {
    var one = LatencyHistogram()
    var other = LatencyHistogram()
    one.add(10)
    other.add(20)
    other.add(30)
    one.merge(other)
    #expect(one.count == 3)
    #expect((one.quantile(0.3), one.quantile(0.5), one.longest) == (10, 20, 30))
  }

  @Test func `an empty histogram has no duration`() {
    #expect(LatencyHistogram().quantile(0.5) == 0)
  }
}
