import BaseJSON
import Synchronization

/// Cuts the output of an instance into lines, reads what frameworks write as JSON, and masks secrets.
///
/// Called by the thread that reads the output.
final class LogLines: Sendable {
  private struct Partial {
    var bytes: [UInt8] = []
    var isTooLong = false
  }

  /// A line as it is kept.
  private struct Line {
    var text: String
    let severity: String
    let execution: String?
  }

  private let logs: FunctionLogs
  private let key: FunctionLogs.Key
  private let secrets: [String]
  private let partial = Mutex<[Bool: Partial]>([:])

  init(_ logs: FunctionLogs, of key: FunctionLogs.Key, masking secrets: [String]) {
    self.logs = logs
    self.key = key
    // Shorter texts are in every second line.
    self.secrets = secrets.filter { $0.utf8.count >= 4 }.sorted { $0.count > $1.count }
  }

  func take(_ bytes: [UInt8], isError: Bool) {
    let lines = partial.withLock { partials in
      var partial = partials[isError] ?? Partial()
      var lines: [[UInt8]] = []
      var rest = bytes[...]
      while let end = rest.firstIndex(of: 10) {
        Self.extend(&partial, rest[..<end])
        lines.append(partial.bytes)
        partial = Partial()
        rest = rest[(end + 1)...]
      }
      Self.extend(&partial, rest)
      partials[isError] = partial
      return lines
    }
    keep(lines, isError: isError)
  }

  /// Keeps output without a line end, once the program has ended.
  func finish() {
    let rest = partial.withLock { partials in
      defer { partials = [:] }
      return partials
    }
    for (isError, line) in rest { keep([line.bytes], isError: isError) }
  }

  private static func extend(_ partial: inout Partial, _ part: ArraySlice<UInt8>) {
    let room = FunctionLogs.longestLine - partial.bytes.count
    partial.bytes += part.prefix(room)
    if part.count > room { partial.isTooLong = true }
  }

  /// Reads lines, and joins what was printed in parts: the framework makes an entry of each, the spaces between them too.
  private func keep(_ raw: [[UInt8]], isError: Bool) {
    var lines: [Line] = []
    var joins = false
    for bytes in raw where !bytes.isEmpty {
      let line = Self.line(bytes, isError: isError)
      let continues = line.execution != nil && line.execution == lines.last?.execution
      if continues, joins || line.text == " " {
        lines[lines.count - 1].text += line.text
        joins = line.text == " "
      } else {
        lines.append(line)
        joins = false
      }
    }
    for line in lines { append(line.text, line.severity, line.execution) }
  }

  private static func line(_ bytes: [UInt8], isError: Bool) -> Line {
    let severity = isError ? "ERROR" : "INFO"
    guard bytes.first == UInt8(ascii: "{"), let object = try? JSONParser.parse(bytes),
      let text = object["message"]?.string
    else {
      return Line(text: String(decoding: bytes, as: UTF8.self), severity: severity, execution: nil)
    }
    return Line(
      text: text,
      severity: String((object["severity"]?.string ?? severity).prefix(20)),
      execution: object["logging.googleapis.com/labels"]?["execution_id"]?.string
    )
  }

  private func append(_ text: String, _ severity: String, _ execution: String?) {
    var message = text
    while message.last?.isNewline == true { message.removeLast() }
    // Gunicorn's control socket is a Unix socket, which instances don't get; nothing needs it.
    guard !message.isEmpty, !message.contains("[ERROR] Control server error") else { return }
    logs.append(key, severity: severity, execution: execution, masked(message))
  }

  private func masked(_ message: String) -> String {
    var message = message
    for secret in secrets where message.contains(secret) {
      message = message.split(separator: secret, omittingEmptySubsequences: false).joined(
        separator: "***"
      )
    }
    return message
  }
}
