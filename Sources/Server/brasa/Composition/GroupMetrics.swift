import Gateway

/// The metrics of the groups that become durable together: their sizes, and the time that this
/// takes.
struct GroupMetrics: Sendable {
  private let commits: HistogramMetric
  private let keys: HistogramMetric
  private let seconds: HistogramMetric

  /// Metrics of that registry.
  init(_ registry: MetricsRegistry) {
    commits = registry.histogram("commit_group_commits", bounds: HistogramMetric.sizes)
    keys = registry.histogram("kv_group_keys", bounds: HistogramMetric.sizes)
    seconds = registry.histogram("kv_group_durable_seconds", bounds: HistogramMetric.seconds)
  }

  /// Counts a group of the store.
  @Sendable
  func observe(commits count: Int) { commits.record(Double(count)) }

  /// Counts a group of the engine, which may hold more than commits.
  @Sendable
  func observe(keys count: Int, duration: Duration) {
    keys.record(Double(count))
    let (whole, attoseconds) = duration.components
    seconds.record(Double(whole) + Double(attoseconds) / 1e18)
  }
}
