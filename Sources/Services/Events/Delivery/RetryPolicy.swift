/// The decision about an event whose delivery failed.
enum RetryVerdict: Sendable, Hashable {
  /// The next attempt, in microseconds.
  case again(at: Int64)
  case dead
}

extension StoredTrigger {
  /// Microseconds in which a failed event is repeated.
  static let eventRetryTime: Int64 = 24 * 3_600 * 1_000_000

  /// The decision after a failed attempt.
  ///
  /// - Parameters:
  ///   - failures: Attempts that failed, this one included.
  ///   - since: The time from which on the limit of time counts.
  ///   - jitter: 0 to 1, by which the pause grows by up to a fifth.
  func verdict(failures: Int, since: Int64, now: Int64, jitter: Double) -> RetryVerdict {
    switch cause {
    case .event(let declared):
      guard declared.retries else { return .dead }
      let seconds = min(600, Self.pow2(failures - 1))
      let due = now + Self.microseconds(seconds * (1 + jitter / 5))
      return due - since > Self.eventRetryTime ? .dead : .again(at: due)
    case .schedule(let declared): return declared.retry.verdict(failures, since, now)
    case .queue(let declared): return declared.retry.verdict(failures, since, now)
    }
  }

  fileprivate static func pow2(_ exponent: Int) -> Double {
    Double(UInt64(1) << UInt64(min(max(exponent, 0), 40)))
  }

  fileprivate static func microseconds(_ seconds: Double) -> Int64 {
    Int64(min(seconds, 1e9) * 1_000_000)
  }
}

extension RetryDeclaration {
  fileprivate func verdict(_ failures: Int, _ since: Int64, _ now: Int64) -> RetryVerdict {
    // Google stops where both limits that are set are reached.
    let isOutOfAttempts = maxAttempts.map { $0 >= 0 && failures >= max(1, $0) } ?? false
    let elapsed = Double(now - since) / 1_000_000
    let isOutOfTime = maxRetrySeconds.map { $0 <= 0 || elapsed >= $0 } ?? true
    if maxAttempts != nil ? isOutOfAttempts && isOutOfTime : maxRetrySeconds != nil && isOutOfTime {
      return .dead
    }
    let doublings = min(failures - 1, maxDoublings)
    let pause = min(maxBackoffSeconds, minBackoffSeconds * StoredTrigger.pow2(doublings))
    return .again(at: now + max(1, StoredTrigger.microseconds(pause)))
  }
}
