/// The growing delay between attempts that fail: none, then one second, then half as much more each time, up to a minute.
package struct Backoff {
  private static let first = Duration.seconds(1)
  private static let greatest = Duration.seconds(60)
  private static let growth = 1.5

  private var base = Duration.zero

  /// No delay before the first attempt.
  package init() {}

  /// Returns the delay before the next attempt; the caller varies it by up to a half.
  package mutating func next() -> Duration {
    let delay = base
    base = min(max(base * Self.growth, Self.first), Self.greatest)
    return delay
  }

  /// Restarts after a success.
  package mutating func reset() { base = .zero }

  /// Waits the longest, after a server said that it is exhausted.
  package mutating func resetToGreatest() { base = Self.greatest }
}
