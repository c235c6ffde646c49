/// The state of a running server's backup.
package struct BackupStatus: Sendable, Equatable {
  /// The target's address.
  package var target = ""
  /// The error of the last step; nil where it went well.
  package var failure: BackupError?
  /// Microseconds since 1970 from when on nothing is in the target; nil where all is.
  package var pendingSince: Int64?
  /// The engines' sequence numbers up to which nothing waits.
  package var through: [UInt64] = []
  /// The number of the last segment in the target.
  package var segment = 0
  /// The number of the last base in the target; nil before the first.
  package var base: Int?
  /// Microseconds since 1970 of the last base's instant.
  package var baseInstant: Int64?
  /// Microseconds since 1970 of the oldest base: from there on each instant can be restored.
  package var oldestInstant: Int64?
  /// The reason for which the last proof failed; nil where it went well.
  package var proofFailure: String?
  /// Microseconds since 1970 of the last proof, and its base.
  package var provenAt: Int64?
  /// The base of the last proof; nil before the first.
  package var provenBase: Int?
  /// Bytes that segments, bases and files took in the target since the start.
  package var shippedBytes = 0
  /// Segments since the start.
  package var shippedSegments = 0
  /// The last delays in microseconds from a group's version to its segment in the target.
  package var delays: [Int64] = []

  static let keptDelays = 1_024

  /// The delay that 99 of 100 segments are below, in seconds; 0 without segments.
  package var delayP99: Double {
    guard !delays.isEmpty else { return 0 }
    return Double(delays.sorted()[(delays.count - 1) * 99 / 100]) / 1_000_000
  }
}
