/// Counts of durations, exact to about three percent from a microsecond to an hour.
///
/// Buckets are linear within each power of two: 32 of them a power.
struct LatencyHistogram: Sendable {
  private static let stepsPerPower = 32
  private static let powers = 42

  private var counts = [Int](repeating: 0, count: stepsPerPower * powers)
  private(set) var count = 0
  private(set) var longest: Int64 = 0

  /// Counts a duration in nanoseconds, once or so many times.
  mutating func add(_ nanoseconds: Int64, times: Int = 1) {
    counts[Self.bucket(of: nanoseconds)] += times
    count += times
    longest = max(longest, nanoseconds)
  }

  /// Adds what another histogram counted.
  mutating func merge(_ other: LatencyHistogram) {
    for index in counts.indices { counts[index] += other.counts[index] }
    count += other.count
    longest = max(longest, other.longest)
  }

  /// The duration, in nanoseconds, that the share of all (0...1) did not exceed.
  func quantile(_ share: Double) -> Int64 {
    let rank = Int((Double(count) * share).rounded(.up))
    var seen = 0
    for (index, each) in counts.enumerated() {
      seen += each
      if seen >= max(rank, 1) { return min(Self.upperEnd(of: index), longest) }
    }
    return longest
  }

  private static func bucket(of nanoseconds: Int64) -> Int {
    let value = UInt64(max(nanoseconds, 0))
    if value < UInt64(stepsPerPower) { return Int(value) }
    let power = 63 - value.leadingZeroBitCount - 5
    let step = Int(value >> UInt64(power)) - stepsPerPower
    return min((power + 1) * stepsPerPower + step, stepsPerPower * powers - 1)
  }

  private static func upperEnd(of bucket: Int) -> Int64 {
    let power = bucket / stepsPerPower - 1
    if power < 0 { return Int64(bucket) }
    let step = Int64(bucket % stepsPerPower + stepsPerPower + 1)
    return step << Int64(power) - 1
  }
}
