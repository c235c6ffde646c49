import Synchronization

/// The metrics of the last hour in memory, a sample every five seconds.
///
/// Series of one name are added up over their labels; of a histogram each bucket is a series, `name|bound`. A
/// sample is taken by one thread at a time; any thread may read.
package final class MetricsHistory: Sendable {
  /// The values of all series at an instant, in the order of `names`; a series that is newer is
  /// missing at the end.
  struct Sample: Sendable, Equatable {
    let number: Int
    /// Milliseconds since 1970.
    let time: Int64
    let values: [Double]
  }

  /// Seconds between two samples.
  package static let period = 5
  private static let capacity = 720
  private static let seriesLimit = 512

  private struct State {
    var indexes: [String: Int] = [:]
    var names: [String] = []
    var samples: [Sample] = []
    var count = 0
  }

  private let state = Mutex(State())
  private let render: @Sendable () -> String

  /// The history of metrics that are read as Prometheus' text.
  package init(render: @escaping @Sendable () -> String) { self.render = render }

  /// Takes a sample; `now` is in milliseconds since 1970.
  package func sample(now: Int64) {
    let values = Self.values(in: render())
    state.withLock { state in
      for name in values.keys.sorted() where state.indexes[name] == nil {
        guard state.names.count < Self.seriesLimit else { break }
        state.indexes[name] = state.names.count
        state.names.append(name)
      }
      state.count += 1
      let row = state.names.map { values[$0] ?? 0 }
      if state.samples.count == Self.capacity { state.samples.removeFirst() }
      state.samples.append(Sample(number: state.count, time: now, values: row))
    }
  }

  /// The series of those names and what they had behind a sample's number.
  func samples(of wanted: Set<String>, after number: Int) -> (names: [String], samples: [Sample]) {
    state.withLock { state in
      let columns = state.names.indices.filter { wanted.contains(Self.base(of: state.names[$0])) }
      let samples = state.samples.filter { $0.number > number }.map { sample in
        Sample(
          number: sample.number,
          time: sample.time,
          values: columns.map { $0 < sample.values.count ? sample.values[$0] : 0 }
        )
      }
      return (columns.map { state.names[$0] }, samples)
    }
  }

  private static func base(of name: String) -> String {
    String(name.prefix { $0 != "|" })
  }

  /// The values of Prometheus' text by name, and by bound where they are a histogram's.
  static func values(in text: String) -> [String: Double] {
    var values: [String: Double] = [:]
    for line in text.split(separator: "\n") where !line.hasPrefix("#") {
      guard let space = line.lastIndex(of: " "),
        let value = Double(line[line.index(after: space)...])
      else { continue }
      let series = line[..<space]
      var name = String(series.prefix { $0 != "{" })
      if let bound = bound(in: series) { name += "|" + bound }
      values[name, default: 0] += value
    }
    return values
  }

  private static func bound(in series: Substring) -> Substring? {
    guard let start = series.firstRange(of: "le=\"") else { return nil }
    return series[start.upperBound...].prefix { $0 != "\"" }
  }
}
