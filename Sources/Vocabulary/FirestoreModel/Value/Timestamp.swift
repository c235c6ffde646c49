/// An instant with nanoseconds, as protobuf's `Timestamp`; Firestore stores microseconds.
package struct Timestamp: Sendable, Hashable, Comparable {
  /// Seconds since 1970-01-01T00:00:00Z, negative before.
  package let seconds: Int64
  /// 0 ..< 1,000,000,000, counted forward from `seconds`.
  package let nanos: Int32

  /// The earliest instant that Firestore takes: 0001-01-01T00:00:00Z.
  package static let minimumSeconds: Int64 = -62_135_596_800
  /// The last second that Firestore takes: 9999-12-31T23:59:59Z.
  package static let maximumSeconds: Int64 = 253_402_300_799

  /// Nil outside 0001-01-01 … 9999-12-31 or with nanos outside their range.
  package init?(seconds: Int64, nanos: Int32) {
    guard (Self.minimumSeconds...Self.maximumSeconds).contains(seconds),
      (0..<1_000_000_000).contains(nanos)
    else { return nil }
    self.seconds = seconds
    self.nanos = nanos
  }

  /// The instant that many microseconds after the epoch (clamped to Firestore's range).
  package init(microseconds: Int64) {
    let floor = Self.minimumSeconds * 1_000_000
    let ceiling = Self.maximumSeconds * 1_000_000 + 999_999
    let clamped = min(max(microseconds, floor), ceiling)
    var (quotient, remainder) = clamped.quotientAndRemainder(dividingBy: 1_000_000)
    if remainder < 0 {
      quotient -= 1
      remainder += 1_000_000
    }
    seconds = quotient
    nanos = Int32(remainder) * 1_000
  }

  /// Microseconds since the epoch, nanoseconds cut off toward the past.
  package var microseconds: Int64 { seconds * 1_000_000 + Int64(nanos / 1_000) }

  /// The instant as Firestore stores it: cut off toward the past to whole microseconds.
  package var truncatedToMicroseconds: Timestamp { Timestamp(microseconds: microseconds) }

  /// The order in time, to the nanosecond.
  package static func < (left: Timestamp, right: Timestamp) -> Bool {
    (left.seconds, left.nanos) < (right.seconds, right.nanos)
  }
}

/// The version of a commit: microseconds since the epoch, strictly increasing per engine.
///
/// It is the `update_time` of what the commit wrote. Zero means "never".
package struct CommitVersion: Sendable, Hashable, Comparable {
  /// Microseconds since the epoch.
  package let microseconds: Int64

  /// Wraps microseconds since the epoch.
  package init(microseconds: Int64) { self.microseconds = microseconds }

  /// Before every commit.
  package static let zero = CommitVersion(microseconds: 0)

  /// The version as an instant.
  package var timestamp: Timestamp { Timestamp(microseconds: microseconds) }

  /// The order of commits in one engine; zero comes first.
  package static func < (left: CommitVersion, right: CommitVersion) -> Bool {
    left.microseconds < right.microseconds
  }
}
