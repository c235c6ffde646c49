import Testing

@testable import brasa_load

struct ServerMetricsTests {
  private let before = """
    # TYPE brasa_kv_group_keys histogram
    brasa_kv_group_durable_seconds_count 10
    brasa_kv_group_keys_sum 80
    brasa_kv_group_durable_seconds_sum 0.05
    """
  private let after = """
    brasa_kv_group_durable_seconds_count 14
    brasa_kv_group_keys_sum 280
    brasa_kv_group_durable_seconds_sum 0.07
    brasa_calls_total{method="Commit",code="OK"} 3
    nonsense
    """

  @Test func `what happened in between is counted`() {
    let line = ServerMetrics(after).groups(since: ServerMetrics(before))
    #expect(line == "groups: 4 synced, 50.0 keys each, 5 ms each to be durable")
  }

  @Test func `a server that says nothing gives no line`() {
    #expect(ServerMetrics("").groups(since: ServerMetrics("")) == nil)
    #expect(ServerMetrics(after).groups(since: ServerMetrics(after)) == nil)
  }
}
