import Synchronization
import Testing

@testable import Console

struct MetricsHistoryTests {
  private static let page = """
    # HELP brasa_calls_total Calls.
    # TYPE brasa_calls_total counter
    brasa_calls_total{method="a",code="OK"} 3
    brasa_calls_total{method="b",code="OK"} 4.5
    brasa_call_duration_seconds_bucket{method="a",le="0.1"} 2
    brasa_call_duration_seconds_bucket{method="b",le="0.1"} 3
    brasa_call_duration_seconds_bucket{method="a",le="+Inf"} 7
    brasa_connections 12
    """

  @Test func `series are added up over their labels, buckets by their bounds`() {
    #expect(
      MetricsHistory.values(in: Self.page) == [
        "brasa_calls_total": 7.5, "brasa_call_duration_seconds_bucket|0.1": 5,
        "brasa_call_duration_seconds_bucket|+Inf": 7, "brasa_connections": 12,
      ]
    )
  }

  @Test func `samples are given from a number on, newer series are zero before`() {
    let text = Mutex("a 1")
    let history = MetricsHistory { text.withLock { $0 } }
    history.sample(now: 1_000)
    text.withLock { $0 = "a 2\nb 5" }
    history.sample(now: 6_000)
    let all = history.samples(of: ["a", "b"], after: 0)
    #expect(all.names == ["a", "b"])
    #expect(all.samples.map(\.values) == [[1, 0], [2, 5]])
    #expect(all.samples.map(\.time) == [1_000, 6_000])
    #expect(history.samples(of: ["b"], after: 1).samples.map(\.values) == [[5]])
    #expect(history.samples(of: ["c"], after: 0).names.isEmpty)
  }

  @Test func `an hour is kept, and so many series`() {
    let history = MetricsHistory { (0..<600).map { "m\($0) \($0)" }.joined(separator: "\n") }
    for second in 0..<730 { history.sample(now: Int64(second)) }
    let found = history.samples(of: Set((0..<600).map { "m\($0)" }), after: 0)
    #expect(found.samples.count == 720 && found.samples.first?.number == 11)
    #expect(found.names.count == 512)
  }
}
