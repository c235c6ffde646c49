import Logging
import Synchronization

/// The bound on error lines that say the same again and again.
///
/// Two lines are equal if label, message and details are, even for different requests. The first
/// ones of a minute are written, the others counted; the next line after that minute says how many
/// there were (`more_since_last`). So a disk that fails, or is full, costs the log some lines a
/// minute, however many calls it refuses. Any thread may call.
package final class RepeatedErrors: Sendable {
  private struct Entry {
    var begin: ContinuousClock.Instant
    var written = 0
    var unwritten = 0
  }

  private let entries = Mutex<[String: Entry]>([:])
  private let now: @Sendable () -> ContinuousClock.Instant

  private static let period = Duration.seconds(60)
  /// Lines of one kind that are written in a period.
  private static let burst = 5
  /// Distinct kinds; those beyond share the last bound.
  private static let most = 256
  /// Details that tell one request from another of the same kind.
  private static let requestDetails: Set<String> = ["request", "id"]

  /// A bound by that clock.
  package init(now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) {
    self.now = now
  }

  /// Returns the number of lines of the kind that were left out before this one; nil where this one is too.
  func admit(_ label: String, _ message: String, _ metadata: Logger.Metadata) -> Int? {
    let time = now()
    return entries.withLock { entries in
      var kind = Self.kind(label, message, metadata)
      if entries[kind] == nil, entries.count >= Self.most {
        entries = entries.filter { time - $0.value.begin < Self.period }
        if entries.count >= Self.most { kind = "" }
      }
      var entry = entries[kind] ?? Entry(begin: time)
      defer { entries[kind] = entry }
      if time - entry.begin >= Self.period {
        (entry.begin, entry.written) = (time, 0)
      }
      guard entry.written < Self.burst else {
        entry.unwritten += 1
        return nil
      }
      entry.written += 1
      defer { entry.unwritten = 0 }
      return entry.unwritten
    }
  }

  private static func kind(
    _ label: String,
    _ message: String,
    _ metadata: Logger.Metadata
  ) -> String {
    let details = metadata.filter { !requestDetails.contains($0.key) }
      .sorted { $0.key < $1.key }
      .map { "\($0.key)=\($0.value)" }
    return ([label, message] + details).joined(separator: "\u{0}")
  }
}
