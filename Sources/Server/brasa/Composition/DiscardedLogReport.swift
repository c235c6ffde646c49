import FirestoreModel
import FirestoreWire
import KeyValueRocksDB
import Logging

extension RocksDBEngine {
  /// Reports the part of the store's log that this start discarded, and its possible meaning.
  func reportDiscardedLog(to log: Logger) {
    for part in discardedLog {
      log.warning(
        """
        the unreadable end of the store's log was discarded; whether commits were lost is unknown: \
        a crash leaves an unacknowledged commit there, but any other damage to the file may have \
        destroyed acknowledged commits
        """,
        metadata: [
          "file": "\(part.file)", "offset": "\(part.offset)", "bytes": "\(part.bytes)",
          "kept_through": "\(Self.text(recoveredVersion))",
          "cut_off": "\(Self.text(part.versions))",
        ]
      )
    }
  }

  /// Versions are the update times of what their commits wrote.
  private static func text(_ versions: [Int64]) -> String {
    guard let last = versions.last else { return "unreadable" }
    let others = versions.count > 1 ? "\(versions.count) groups of commits" : "commits"
    return "\(others) up to \(text(last))"
  }

  private static func text(_ version: Int64) -> String {
    guard version > 0 else { return "nothing" }
    let time = Timestamp(microseconds: version)
    return TimestampText.format(seconds: time.seconds, nanos: time.nanos)
  }
}
