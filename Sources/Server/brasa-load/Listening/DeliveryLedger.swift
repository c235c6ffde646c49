/// Records the commits and their deliveries: latencies of deliveries, and of each commit's last.
final class DeliveryLedger {
  private struct Commit {
    let started: Int64
    var acknowledged: Int64?
    /// Deliveries still to come.
    var left: Int
    var last: Int64 = 0
  }

  private var commits: [Commit] = []
  /// From the commit's start to each delivery, and to its last.
  private(set) var deliveries = LatencyHistogram()
  private(set) var lastDeliveries = LatencyHistogram()
  /// From the commit's answer to each delivery; one that came earlier counts as nothing.
  private(set) var afterAnswer = LatencyHistogram()
  /// From the commit's start to its response.
  private(set) var answers = LatencyHistogram()
  private(set) var acknowledgedCount = 0
  private(set) var completedCount = 0
  private(set) var deliveredCount = 0
  private(set) var errors: [String: Int] = [:]
  private var expectedCount = 0
  private var firstMeasured = 0
  private var firstStart: Int64?
  private var lastDelivery: Int64 = 0

  /// The number of commits that were begun; the next one's number.
  var count: Int { commits.count }

  /// The number of deliveries that have not come.
  var missingCount: Int { expectedCount - deliveredCount }

  /// Commits that were neither answered nor refused.
  var openCount: Int { commits.count - acknowledgedCount - errors.values.reduce(0, +) }

  /// Deliveries a second, from the first commit to the last delivery.
  var deliveryRate: Double {
    guard let firstStart, lastDelivery > firstStart else { return 0 }
    return Double(deliveredCount) / Double(lastDelivery - firstStart) * 1e9
  }

  /// Forgets what was measured so far, but not the numbers.
  func startMeasuring() {
    deliveries = LatencyHistogram()
    lastDeliveries = LatencyHistogram()
    afterAnswer = LatencyHistogram()
    answers = LatencyHistogram()
    (acknowledgedCount, completedCount, deliveredCount, expectedCount) = (commits.count, 0, 0, 0)
    firstMeasured = commits.count
    firstStart = nil
    errors = [:]
  }

  /// Begins a commit that so many listeners shall see, and gives its number.
  func begin(expecting listeners: Int, now: Int64) -> Int {
    commits.append(Commit(started: now, left: listeners))
    expectedCount += listeners
    firstStart = firstStart ?? now
    return commits.count - 1
  }

  /// The commit's answer came.
  func acknowledge(_ number: Int, now: Int64) {
    commits[number].acknowledged = now
    guard number >= firstMeasured else { return }
    acknowledgedCount += 1
    answers.add(now - commits[number].started)
  }

  /// The commit was refused and will not become visible.
  func fail(_ number: Int, _ error: String) {
    errors[error, default: 0] += 1
    expectedCount -= commits[number].left
    commits[number].left = 0
  }

  /// So many listeners saw the commit.
  func deliver(_ number: Int, targets: Int, now: Int64) {
    guard commits.indices.contains(number), number >= firstMeasured, commits[number].left > 0
    else { return }
    let commit = commits[number]
    commits[number].left -= targets
    commits[number].last = now
    deliveredCount += targets
    lastDelivery = now
    deliveries.add(now - commit.started, times: targets)
    afterAnswer.add(commit.acknowledged.map { now - $0 } ?? 0, times: targets)
    if commit.left <= targets {
      completedCount += 1
      lastDeliveries.add(now - commit.started)
    }
  }

  /// Returns true if the commit has its response and all listeners received it.
  func isComplete(_ number: Int) -> Bool {
    commits[number].left <= 0 && (commits[number].acknowledged != nil || !errors.isEmpty)
  }
}
