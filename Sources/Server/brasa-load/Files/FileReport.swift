/// The text that a load on files prints.
struct FileReport {
  let title: String
  let run: FileRun
  let outcome: FileRun.Outcome

  /// The lines, each `what: figure`.
  var lines: [String] {
    let measurement = outcome.measurement
    let rate = Double(measurement.latencies.count) / outcome.seconds
    var lines = [
      "\(title): \(run.connections) connections, seed \(run.seed)",
      "throughput: \(Report.short(rate))/s"
        + " (\(measurement.latencies.count) in \(Report.short(outcome.seconds)) s)",
    ]
    if measurement.objects != measurement.latencies.count {
      lines.append("objects: \(Report.short(Double(measurement.objects) / outcome.seconds))/s")
    }
    if measurement.bytes > 0 {
      let megabytes = Double(measurement.bytes) / 1e6 / outcome.seconds
      lines.append("bytes: \(Report.short(megabytes)) MB/s")
    }
    lines.append("latency: \(Report.quantiles(measurement.latencies))")
    lines += serverLines
    lines.append("errors: \(measurement.errorCount)")
    for (name, count) in measurement.errors.sorted(by: { $0.value > $1.value }).prefix(5) {
      lines.append("  \(count) x \(name)")
    }
    return lines
  }

  private var serverLines: [String] {
    var lines: [String] = []
    let rounds = outcome.measurement.latencies.count
    if let seconds = outcome.serverSeconds, rounds > 0 {
      let each = Report.short(seconds / Double(rounds) * 1e6)
      lines.append("server: \(Report.short(seconds)) s on processors, \(each) us each")
    }
    if let (before, most) = outcome.residentBytes {
      let megabytes = [before, most, most - before].map { Report.short(Double($0) / 1e6) }
      lines.append(
        "resident: \(megabytes[0]) MB before, \(megabytes[1]) MB at most, \(megabytes[2]) MB above"
      )
    }
    return lines
  }

  /// Prints the lines and any that follow.
  func print(followedBy more: [String] = []) {
    Swift.print((lines + more).joined(separator: "\n"))
  }
}

/// Compares the acknowledged writes with the bucket's contents afterwards, and reports the cost of
/// durability.
struct FileDurabilityCheck {
  private let run: FileRun
  private let prefix: String
  private let countBefore: Int
  private let metricsBefore: ServerMetrics?

  /// Counts the objects below the prefix before the run.
  init(_ run: FileRun, prefix: String) throws {
    self.run = run
    self.prefix = prefix
    countBefore = try ObjectPage.count(prefix: prefix, in: run.target)
    metricsBefore = try ServerMetrics.fetch(host: run.target.host, port: run.target.port)
  }

  /// The lines to print after the run.
  func lines(acknowledged: Int) throws -> [String] {
    let found = try ObjectPage.count(prefix: prefix, in: run.target) - countBefore
    var lines = [
      "durable: \(acknowledged) objects acknowledged, the bucket has \(found) more"
    ]
    if found < acknowledged { lines.append("LOST: \(acknowledged - found)") }
    guard let before = metricsBefore,
      let after = try ServerMetrics.fetch(host: run.target.host, port: run.target.port)
    else { return lines }
    if let groups = after.groups(since: before) { lines.append(groups) }
    if let syncs = after.fileSyncs(since: before), acknowledged > 0 {
      lines.append("files: \(Report.short(syncs / Double(acknowledged))) syncs an object")
    }
    return lines
  }
}
