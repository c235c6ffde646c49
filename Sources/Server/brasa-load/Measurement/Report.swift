import Foundation

/// The text that a run prints.
struct Report {
  let title: String
  let options: ServerOptions
  let seconds: Double
  let measurement: Measurement

  /// The lines, each `what: figure`.
  var lines: [String] {
    let latencies = measurement.latencies
    let inFlight = options.connections * options.inFlight
    var lines = [
      "\(title): \(options.connections) connections x \(options.inFlight) in flight = \(inFlight),"
        + " seed \(options.seed)",
      "throughput: \(Self.short(Double(latencies.count) / seconds))/s"
        + " (\(latencies.count) in \(Self.short(seconds)) s)",
    ]
    if measurement.documents != latencies.count {
      lines.append("documents: \(Self.short(Double(measurement.documents) / seconds))/s")
    }
    if latencies.count > 0 {
      lines.append(
        "latency: p50 \(Self.milliseconds(latencies.quantile(0.5))),"
          + " p99 \(Self.milliseconds(latencies.quantile(0.99))),"
          + " p99.9 \(Self.milliseconds(latencies.quantile(0.999))),"
          + " longest \(Self.milliseconds(latencies.longest))"
      )
    }
    lines.append("errors: \(measurement.errorCount)")
    for (name, count) in measurement.errors.sorted(by: { $0.value > $1.value }).prefix(5) {
      lines.append("  \(count) x \(name)")
    }
    return lines
  }

  /// Prints the lines and any that follow.
  func print(followedBy more: [String] = []) {
    Swift.print((lines + more).joined(separator: "\n"))
  }

  /// The usual quantiles of durations.
  static func quantiles(_ times: LatencyHistogram) -> String {
    guard times.count > 0 else { return "none" }
    let parts = [("p50", 0.5), ("p99", 0.99), ("p99.9", 0.999)].map { name, share in
      "\(name) \(milliseconds(times.quantile(share)))"
    }
    return parts.joined(separator: ", ") + ", longest \(milliseconds(times.longest))"
  }

  static func milliseconds(_ nanoseconds: Int64) -> String {
    "\(short(Double(nanoseconds) / 1_000_000)) ms"
  }

  /// A figure with three digits or so.
  static func short(_ value: Double) -> String {
    switch abs(value) {
    case 0: "0"
    case ..<0.001: String(format: "%.6f", value)
    case ..<10: String(format: "%.3g", value)
    case ..<100: String(format: "%.1f", value)
    default: String(format: "%.0f", value)
    }
  }
}
