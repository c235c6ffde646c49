import BaseText
import FirestoreModel
import Logging

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Writes log lines for operators, one event a line.
///
///     2026-11-21T04:31:46.123Z INFO  gateway: message key=value other="two words"
///
/// Keys are sorted. Control characters, marks that turn a line around and quotes in values are escaped, so that what a
/// client sent can neither start a line, nor pretend to be a key, nor command a terminal. Values under names that credentials go by are
/// never written.
package struct LineLogHandler: LogHandler {
  /// The least level that is written.
  package var logLevel: Logger.Level
  /// The metadata of every line of this logger; an event's own values win over them.
  package var metadata: Logger.Metadata = [:]
  /// The source of metadata for each event, such as a trace's id; nil adds none.
  package var metadataProvider: Logger.MetadataProvider?

  private static let credentialNames: Set<String> = [
    "authorization", "cookie", "credential", "credentials", "key", "password", "secret", "token",
  ]

  private let label: String
  private let repeated: RepeatedErrors?
  private let write: @Sendable (String) -> Void
  private let now: @Sendable () -> timespec

  /// A handler for the logger of that label; `write` gets whole lines, and of errors that say the same
  /// again only as many as `repeated` admits.
  package init(
    label: String,
    level: Logger.Level,
    repeated: RepeatedErrors? = nil,
    write: @escaping @Sendable (String) -> Void = LineLogHandler.writeToStandardError,
    now: @escaping @Sendable () -> timespec = LineLogHandler.systemTime
  ) {
    self.label = label
    self.repeated = repeated
    logLevel = level
    self.write = write
    self.now = now
  }

  /// Reads or sets a value of the logger's own metadata.
  package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  /// Writes the event as one line, unless `RepeatedErrors` holds it back.
  package func log(event: LogEvent) {
    var all = metadata
    if let provided = metadataProvider?.get() { all.merge(provided) { $1 } }
    if let own = event.metadata { all.merge(own) { $1 } }
    if event.level == .error, let repeated {
      guard let left = repeated.admit(label, event.message.description, all) else { return }
      if left > 0 { all["more_since_last"] = "\(left)" }
    }
    var line = Self.timestamp(now())
    line += " \(Self.name(event.level)) \(label): "
    Self.append(event.message.description, to: &line)
    for (key, value) in all.sorted(by: { $0.key < $1.key }) {
      line += " \(key)="
      if Self.credentialNames.contains(key.lowercased()) {
        line += "(hidden)"
      } else {
        Self.appendValue(value.description, to: &line)
      }
    }
    write(line + "\n")
  }

  private static func name(_ level: Logger.Level) -> String {
    switch level {
    case .trace: "TRACE"
    case .debug: "DEBUG"
    case .info: "INFO "
    case .notice: "NOTE "
    case .warning: "WARN "
    case .error: "ERROR"
    case .critical: "CRIT "
    }
  }

  private static func appendValue(_ value: String, to line: inout String) {
    let isPlain = value.unicodeScalars.allSatisfy {
      $0 != " " && $0 != "\"" && $0 != "\\" && !TerminalText.isCommand($0)
    }
    if isPlain, !value.isEmpty {
      line += value
    } else {
      line += "\""
      append(value, quoted: true, to: &line)
      line += "\""
    }
  }

  private static func append(_ text: String, quoted: Bool = false, to line: inout String) {
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\n": line += "\\n"
      case "\r": line += "\\r"
      case "\t": line += "\\t"
      case "\"" where quoted: line += "\\\""
      case "\\" where quoted: line += "\\\\"
      case _ where TerminalText.isCommand(scalar):
        line += "\\u{\(String(scalar.value, radix: 16))}"
      default: line.unicodeScalars.append(scalar)
      }
    }
  }

  private static func timestamp(_ time: timespec) -> String {
    var seconds = time.tv_sec
    var parts = tm()
    gmtime_r(&seconds, &parts)
    func padded(_ number: some BinaryInteger, _ width: Int) -> String {
      let digits = String(number)
      return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
    let date =
      "\(padded(parts.tm_year + 1900, 4))-\(padded(parts.tm_mon + 1, 2))-\(padded(parts.tm_mday, 2))"
    let clock =
      "\(padded(parts.tm_hour, 2)):\(padded(parts.tm_min, 2)):\(padded(parts.tm_sec, 2))"
    return "\(date)T\(clock).\(padded(time.tv_nsec / 1_000_000, 3))Z"
  }

  /// The system's clock.
  package static let systemTime: @Sendable () -> timespec = {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return time
  }

  /// Writes to file descriptor 2, a line in one piece where the system allows it.
  package static let writeToStandardError: @Sendable (String) -> Void = { line in
    writeFully(line, to: STDERR_FILENO)
  }
}

/// Writes all of the text to the descriptor; gives up at the first error.
package func writeFully(_ text: String, to descriptor: Int32) {
  var rest = Array(text.utf8)[...]
  while !rest.isEmpty {
    let written = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
    if written < 0, errno == EINTR { continue }
    guard written > 0 else { return }
    rest = rest.dropFirst(written)
  }
}
