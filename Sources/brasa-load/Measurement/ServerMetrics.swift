/// A reading of the server's Prometheus page, from which loads report what it cost to be durable.
struct ServerMetrics {
  private struct Series {
    var count = 0.0
    var sum = 0.0
    /// Upper bounds and the cumulative counts below them.
    var buckets: [(bound: Double, count: Double)] = []
  }

  private var series: [String: Series] = [:]

  /// Reads the page; lines that it does not understand are skipped.
  init(_ page: String) {
    for line in page.split(separator: "\n") where !line.hasPrefix("#") {
      guard let space = line.lastIndex(of: " "),
        let value = Double(line[line.index(after: space)...])
      else { continue }
      add(String(line[..<space]), value)
    }
  }

  private mutating func add(_ label: String, _ value: Double) {
    let name = String(label.prefix { $0 != "{" })
    if name.hasSuffix("_count") {
      series[String(name.dropLast(6)), default: Series()].count += value
    } else if name.hasSuffix("_sum") {
      series[String(name.dropLast(4)), default: Series()].sum += value
    } else if name.hasSuffix("_bucket"), let bound = Self.bound(in: label) {
      series[String(name.dropLast(7)), default: Series()].buckets.append((bound, value))
    }
  }

  private static func bound(in label: String) -> Double? {
    guard let start = label.range(of: "le=\"") else { return nil }
    let text = label[start.upperBound...].prefix { $0 != "\"" }
    return text == "+Inf" ? .infinity : Double(text)
  }

  /// How often something whose name contains `word` happened since `earlier`, with its average and
  /// median in the page's unit; one line each.
  func lines(about word: String, since earlier: ServerMetrics) -> [String] {
    series.keys.filter { $0.contains(word) }.sorted().compactMap { name in
      guard let now = series[name] else { return nil }
      let before = earlier.series[name] ?? Series()
      let count = now.count - before.count
      guard count > 0 else { return nil }
      let average = (now.sum - before.sum) / count
      var line = "\(name): \(Int(count)) times, average \(Report.short(average))"
      if let median = Self.median(now, before, count) {
        line += ", median at most \(Report.short(median))"
      }
      return line
    }
  }

  private static func median(_ now: Series, _ before: Series, _ count: Double) -> Double? {
    for (index, bucket) in now.buckets.enumerated() {
      let old = index < before.buckets.count ? before.buckets[index].count : 0
      if bucket.count - old >= count / 2 { return bucket.bound }
    }
    return nil
  }
}
