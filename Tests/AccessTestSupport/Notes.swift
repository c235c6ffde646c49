import Logging
import Synchronization

/// A log that keeps its entries.
package final class Notes: Sendable {
  /// An entry as it was logged.
  package struct Entry: Sendable {
    package let level: Logger.Level
    package let message: String
    package let metadata: Logger.Metadata
  }

  private struct Handler: LogHandler {
    let notes: Notes
    var metadata: Logger.Metadata = [:]
    var logLevel: Logger.Level

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
      let entry = Entry(
        level: event.level,
        message: "\(event.message)",
        metadata: event.metadata ?? [:]
      )
      notes.entries.withLock { $0.append(entry) }
    }
  }

  /// The entries so far.
  package let entries = Mutex<[Entry]>([])

  /// A log without entries.
  package init() {}

  /// A logger that writes here, notices and above.
  package var logger: Logger { logger(level: .notice) }

  /// A logger that writes here, from that level on.
  package func logger(level: Logger.Level) -> Logger {
    Logger(label: "notes") { [self] _ in Handler(notes: self, logLevel: level) }
  }
}
