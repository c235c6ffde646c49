import Testing

@testable import brasa_load

struct ServerMetricsTests {
  private let before = """
    # TYPE brasa_sync_seconds histogram
    brasa_sync_seconds_bucket{le="0.001"} 1
    brasa_sync_seconds_bucket{le="0.01"} 1
    brasa_sync_seconds_bucket{le="+Inf"} 1
    brasa_sync_seconds_sum 0.0005
    brasa_sync_seconds_count 1
    """
  private let after = """
    brasa_sync_seconds_bucket{le="0.001"} 2
    brasa_sync_seconds_bucket{le="0.01"} 5
    brasa_sync_seconds_bucket{le="+Inf"} 5
    brasa_sync_seconds_sum 0.0205
    brasa_sync_seconds_count 5
    other_total 7
    nonsense
    """

  @Test func `what happened in between is counted`() {
    let lines = ServerMetrics(after).lines(about: "sync", since: ServerMetrics(before))
    #expect(lines == ["brasa_sync_seconds: 4 times, average 0.005, median at most 0.01"])
  }

  @Test func `what is not there gives no line`() {
    #expect(ServerMetrics(after).lines(about: "group", since: ServerMetrics(before)) == [])
    #expect(ServerMetrics(after).lines(about: "sync", since: ServerMetrics(after)) == [])
  }
}
