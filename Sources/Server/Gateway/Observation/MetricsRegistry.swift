import CoreMetrics
import Synchronization

/// Every metric of the process, as swift-metrics' backend and as Prometheus text.
///
/// Labels become Prometheus names: `commit.group.size` is `brasa_commit_group_size`. Counters are
/// counters, recorders that aggregate and timers are histograms, timers in seconds, the others are
/// gauges. A metric lives as long as the process.
package final class MetricsRegistry: Sendable {
  private struct Key: Hashable, Comparable {
    let name: String
    let labels: String

    static func < (left: Key, right: Key) -> Bool {
      (left.name, left.labels) < (right.name, right.labels)
    }
  }

  /// Reads values that another part of the program keeps.
  package typealias Source = @Sendable () -> [(name: String, value: Double)]

  /// The metrics by their keys, and in the order of these.
  private struct Registered {
    var byKey: [Key: any PrometheusMetric] = [:]
    var sorted: [(key: Key, metric: any PrometheusMetric)] = []

    mutating func add(_ metric: any PrometheusMetric, _ key: Key) {
      byKey[key] = metric
      sorted.append((key, metric))
      sorted.sort { $0.key < $1.key }
    }
  }

  private let metrics = Mutex(Registered())
  private let sources = Mutex<[Source]>([])

  /// A registry without metrics.
  package init() {}

  /// The counter of that name and those labels.
  package func counter(_ name: String, _ labels: [(String, String)] = []) -> CounterMetric {
    metric(name, labels) { CounterMetric() }
  }

  /// The gauge of that name and those labels.
  package func gauge(_ name: String, _ labels: [(String, String)] = []) -> GaugeMetric {
    metric(name, labels) { GaugeMetric() }
  }

  /// The histogram of that name and those labels, with those upper bounds if it is new.
  package func histogram(
    _ name: String,
    _ labels: [(String, String)] = [],
    bounds: [Double]
  ) -> HistogramMetric {
    metric(name, labels) { HistogramMetric(bounds: bounds) }
  }

  /// Has the source read at each scrape; names that end in `_total` are counters, others gauges.
  package func addSource(_ source: @escaping Source) {
    sources.withLock { $0.append(source) }
  }

  /// All metrics in Prometheus' text format, sorted; series that never counted are left out.
  package func render() -> String {
    var text = renderOwn()
    for (name, value) in sources.withLock({ $0 }).flatMap({ $0() }) {
      let name = Self.prometheusName(name)
      let type =
        name.hasSuffix("_total") ? CounterMetric.prometheusType : GaugeMetric.prometheusType
      text += Self.head(name, type) + "\(name) \(value)\n"
    }
    return text
  }

  private func renderOwn() -> String {
    let sorted = metrics.withLock { $0.sorted }
    var text = ""
    var lastName: String?
    for (key, metric) in sorted where !metric.isUntouched {
      if key.name != lastName {
        text += Self.head(key.name, type(of: metric).prometheusType)
        lastName = key.name
      }
      metric.render(name: key.name, labels: key.labels, into: &text)
    }
    return text
  }

  private static func head(_ name: String, _ type: String) -> String {
    let help = MetricHelp.text(of: name).map { "# HELP \(name) \($0)\n" } ?? ""
    return help + "# TYPE \(name) \(type)\n"
  }

  private func metric<Metric: PrometheusMetric>(
    _ name: String,
    _ labels: [(String, String)],
    make: () -> Metric
  ) -> Metric {
    let key = Key(name: Self.prometheusName(name), labels: Self.prometheusLabels(labels))
    return metrics.withLock { metrics in
      if let known = metrics.byKey[key] as? Metric { return known }
      // A name that is in use for another kind of metric keeps its kind; this one is not shown.
      let new = make()
      if metrics.byKey[key] == nil { metrics.add(new, key) }
      return new
    }
  }

  private static func prometheusName(_ label: String) -> String {
    let name = String(decoding: label.utf8.map(prometheusByte), as: UTF8.self)
    return name.hasPrefix("brasa_") ? name : "brasa_" + name
  }

  private static func prometheusByte(_ byte: UInt8) -> UInt8 {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      byte
    default: UInt8(ascii: "_")
    }
  }

  private static func prometheusLabels(_ labels: [(String, String)]) -> String {
    labels.map { name, value in
      var escaped = ""
      for character in value {
        switch character {
        case "\\": escaped += "\\\\"
        case "\"": escaped += "\\\""
        case "\n": escaped += "\\n"
        default: escaped.append(character)
        }
      }
      return "\(name)=\"\(escaped)\""
    }
    .joined(separator: ",")
  }
}

extension MetricsRegistry: MetricsFactory {
  /// Returns the counter of that label, for swift-metrics.
  package func makeCounter(
    label: String,
    dimensions: [(String, String)]
  ) -> any CounterHandler {
    counter(label, dimensions)
  }

  /// Returns a histogram of sizes where values are aggregated, a gauge otherwise.
  package func makeRecorder(
    label: String,
    dimensions: [(String, String)],
    aggregate: Bool
  ) -> any RecorderHandler {
    aggregate
      ? histogram(label, dimensions, bounds: HistogramMetric.sizes) : gauge(label, dimensions)
  }

  /// Returns a histogram of durations, for swift-metrics.
  package func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
    histogram(label, dimensions, bounds: HistogramMetric.seconds)
  }

  /// Does nothing: a counter keeps its value until the process ends.
  package func destroyCounter(_ handler: any CounterHandler) {}
  /// Does nothing: a gauge or histogram keeps its values until the process ends.
  package func destroyRecorder(_ handler: any RecorderHandler) {}
  /// Does nothing: a timer keeps its values until the process ends.
  package func destroyTimer(_ handler: any TimerHandler) {}
}
