import CoreMetrics
import Synchronization

/// A metric that can write itself in Prometheus' text format.
protocol PrometheusMetric: AnyObject, Sendable {
  static var prometheusType: String { get }
  /// True if nothing was ever recorded.
  var isUntouched: Bool { get }
  func render(name: String, labels: String, into text: inout String)
}

/// A number that only grows.
package final class CounterMetric: PrometheusMetric, CounterHandler {
  static let prometheusType = "counter"
  private let value = Atomic<Int64>(0)

  init() {}

  /// Adds to the count.
  package func add(_ amount: Int) {
    value.wrappingAdd(Int64(amount), ordering: .relaxed)
  }

  /// Adds to the count, for swift-metrics.
  package func increment(by amount: Int64) {
    value.wrappingAdd(amount, ordering: .relaxed)
  }

  /// Sets the count to zero, for swift-metrics.
  package func reset() {
    value.store(0, ordering: .relaxed)
  }

  var isUntouched: Bool { value.load(ordering: .relaxed) == 0 }

  func render(name: String, labels: String, into text: inout String) {
    let value = value.load(ordering: .relaxed)
    text += labels.isEmpty ? "\(name) \(value)\n" : "\(name){\(labels)} \(value)\n"
  }
}

/// A number that goes up and down.
package final class GaugeMetric: PrometheusMetric, RecorderHandler {
  static let prometheusType = "gauge"
  private let value = Mutex(0.0)

  init() {}

  /// Adds to the value; a negative amount lowers it.
  package func add(_ amount: Int) {
    value.withLock { $0 += Double(amount) }
  }

  /// Sets the value, for swift-metrics.
  package func record(_ value: Int64) {
    record(Double(value))
  }

  /// Sets the value, for swift-metrics.
  package func record(_ value: Double) {
    self.value.withLock { $0 = value }
  }

  var isUntouched: Bool { false }

  func render(name: String, labels: String, into text: inout String) {
    let value = value.withLock { $0 }
    text += labels.isEmpty ? "\(name) \(value)\n" : "\(name){\(labels)} \(value)\n"
  }
}

/// A distribution: how many values are at most each bound, and their sum.
package final class HistogramMetric: PrometheusMetric, RecorderHandler, TimerHandler {
  /// Bounds for durations, in seconds.
  package static let seconds = [
    0.000_05, 0.000_1, 0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25,
    0.5, 1, 2.5, 5, 10, 60,
  ]
  /// Bounds for counts and sizes: powers of two, then of four.
  package static let sizes =
    (0...6).map { Double(1 << $0) } + (4...10).map { Double(1 << (2 * $0)) }

  static let prometheusType = "histogram"

  private struct State {
    var counts: [Int]
    var sum = 0.0
  }

  private let bounds: [Double]
  private let state: Mutex<State>

  init(bounds: [Double]) {
    self.bounds = bounds
    state = Mutex(State(counts: Array(repeating: 0, count: bounds.count + 1)))
  }

  /// Counts a value in its bucket.
  package func record(_ value: Int64) {
    record(Double(value))
  }

  /// Counts a value in its bucket, the first whose bound is at least the value.
  package func record(_ value: Double) {
    let bucket = bounds.firstIndex { value <= $0 } ?? bounds.count
    state.withLock { state in
      state.counts[bucket] += 1
      state.sum += value
    }
  }

  /// Counts a duration, converted to seconds.
  package func recordNanoseconds(_ duration: Int64) {
    record(Double(duration) / 1e9)
  }

  var isUntouched: Bool { state.withLock { $0.counts.allSatisfy { $0 == 0 } } }

  func render(name: String, labels: String, into text: inout String) {
    let (counts, sum) = state.withLock { ($0.counts, $0.sum) }
    let prefix = labels.isEmpty ? "" : labels + ","
    var total = 0
    for (bound, count) in zip(bounds, counts) {
      total += count
      text += "\(name)_bucket{\(prefix)le=\"\(bound)\"} \(total)\n"
    }
    total += counts[bounds.count]
    text += "\(name)_bucket{\(prefix)le=\"+Inf\"} \(total)\n"
    let suffix = labels.isEmpty ? "" : "{\(labels)}"
    text += "\(name)_sum\(suffix) \(sum)\n\(name)_count\(suffix) \(total)\n"
  }
}
