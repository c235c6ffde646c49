/// The time in which an app is used, by those who tell when it comes to the front and leaves it.
struct EngagementClock: Sendable {
  private var since: Int64?
  private var carriedMicros: Int64 = 0

  /// True if the app is in front.
  var isRunning: Bool { since != nil }

  /// The app is in front from now on.
  mutating func start(at micros: Int64) {
    if since == nil { since = micros }
  }

  /// The app is in front no more.
  mutating func stop(at micros: Int64) {
    if let since { carriedMicros += max(0, micros - since) }
    since = nil
  }

  /// Drops the time counted before: a session has ended in between.
  mutating func restart(at micros: Int64) {
    carriedMicros = 0
    if since != nil { since = micros }
  }

  /// Returns the milliseconds since this was asked last.
  mutating func takeMillis(at micros: Int64) -> Int64 {
    if let start = since {
      carriedMicros += max(0, micros - start)
      since = micros
    }
    defer { carriedMicros %= 1_000 }
    return carriedMicros / 1_000
  }
}
