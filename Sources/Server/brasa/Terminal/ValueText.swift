import BaseText
import FirestoreModel
import FirestoreWire

/// Values as a person reads them, safe to print: a terminal obeys none of them.
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
    case .bson(let value): return bson(value)
    case .vector(let numbers):
      return "vector[\(numbers.map { "\($0)" }.joined(separator: ", "))]"
    }
  }

  /// A value of a BSON type, named where its text alone would not tell.
  private static func bson(_ value: BSONValue) -> String {
    switch value {
    case .minKey: "MinKey"
    case .maxKey: "MaxKey"
    case .int32(let number): "\(number)"
    case .decimal(let number): "decimal(\(number.text))"
    case .objectID(let id): "objectId(\(id.text))"
    case .timestamp(let time): "timestamp(\(time.seconds), \(time.increment))"
    case .binary(let subtype, let bytes): "binary(\(subtype), \(bytes.count) bytes)"
    case .regex(let pattern, let options): "/\(safe(pattern.string))/\(safe(options.string))"
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
