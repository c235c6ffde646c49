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

  /// What a call has written of a line: the framework makes an entry of each part that is printed.
  private struct Parts {
    var severity: String
    var text = ""
  }

  private let logs: FunctionLogs
  private let key: FunctionLogs.Key
  private let secrets: [String]
  private let partial = Mutex<[Bool: Partial]>([:])
  private let parts = Mutex<[String: Parts]>([:])

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
    for line in lines where !line.isEmpty { keep(line, isError: isError) }
  }

  /// Keeps what has no end of line, once the program has ended.
  func finish() {
    let rest = partial.withLock { partials in
      defer { partials = [:] }
      return partials
    }
    for (isError, line) in rest where !line.bytes.isEmpty { keep(line.bytes, isError: isError) }
    let open = parts.withLock { parts in
      defer { parts = [:] }
      return parts
    }
    for (execution, parts) in open { append(parts.text, parts.severity, execution) }
  }

  private static func extend(_ partial: inout Partial, _ part: ArraySlice<UInt8>) {
    let room = FunctionLogs.longestLine - partial.bytes.count
    partial.bytes += part.prefix(room)
    if part.count > room { partial.isTooLong = true }
  }

  private func keep(_ line: [UInt8], isError: Bool) {
    let severity = isError ? "ERROR" : "INFO"
    if line.first == UInt8(ascii: "{"), let object = try? JSONParser.parse(line),
      let text = object["message"]?.string
    {
      let severity = String((object["severity"]?.string ?? severity).prefix(20))
      guard let execution = object["logging.googleapis.com/labels"]?["execution_id"]?.string else {
        return append(text, severity, nil)
      }
      let whole = parts.withLock { parts in
        // Calls that ended within a line leave theirs.
        if parts.count > 1_000 { parts = [:] }
        var line = parts[execution] ?? Parts(severity: severity)
        line.text += text
        let isWhole =
          text.last?.isNewline == true || line.text.utf8.count > FunctionLogs.longestLine
        parts[execution] = isWhole ? nil : line
        return isWhole ? line : nil
      }
      if let whole { append(whole.text, whole.severity, execution) }
      return
    }
    append(String(decoding: line, as: UTF8.self), severity, nil)
  }

  private func append(_ text: String, _ severity: String, _ execution: String?) {
    var message = text
    while message.last?.isNewline == true { message.removeLast() }
    // Gunicorn's control socket is a Unix socket, which instances don't get; nobody misses it.
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
