import BaseText
import FirestoreModel
import FirestoreWire

/// Values as a person reads them, safe to print: whatever they hold, no terminal obeys it.
enum ValueText {
  /// A value in a table's cell; strings are bare.
  static func cell(_ value: Value) -> String {
    if case .string(let text) = value { return safe(text.string) }
    return line(of: value)
  }

  /// A value on a line, much as JSON has it.
  static func line(of value: Value) -> String {
    switch value {
    case .null: return "null"
    case .boolean(let flag): return flag ? "true" : "false"
    case .integer(let number): return "\(number)"
    case .double(let number): return "\(number)"
    case .timestamp(let time): return TimestampText.format(seconds: time.seconds, nanos: time.nanos)
    case .string(let text): return "\"\(safe(text.string))\""
    case .bytes(let bytes): return "\(bytes.count) bytes"
    case .reference(let name): return "→ " + safe(name.path.string)
    case .geoPoint(let point): return "(\(point.latitude), \(point.longitude))"
    case .array(let elements): return "[\(elements.map(line).joined(separator: ", "))]"
    case .map(let map):
      let members = map.entries.map { "\(safe($0.key.string)): \(line(of: $0.value))" }
      return "{\(members.joined(separator: ", "))}"
    case .vector(let numbers):
      return "vector[\(numbers.map { "\($0)" }.joined(separator: ", "))]"
    }
  }

  /// The text without what a terminal takes for commands, or that turns the line around.
  static func safe(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: TerminalText.isCommand) else { return text }
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\n": result.append("⏎")
      case "\t": result.append(" ")
      default: result.append(TerminalText.isCommand(scalar) ? "\u{FFFD}" : scalar)
      }
    }
    return String(result)
  }
}
