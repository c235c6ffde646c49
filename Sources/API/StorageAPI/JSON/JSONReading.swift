import BaseJSON
import BaseText
import FirestoreWire
import ObjectStorage

/// Reads the members of a JSON object by name; an unread member is an error at the end.
struct JSONReading {
  private var members: [(name: String, value: JSONValue)]

  init(_ value: JSONValue) throws(StorageError) {
    guard case .object(let members) = value else { throw Self.invalid("body") }
    self.members = members.map { ($0.key, $0.value) }
  }

  static func invalid(_ name: String) -> StorageError {
    StorageError(.invalid, "Invalid value for field: \(name)")
  }

  /// Takes a member; nil where there is none, `.null` where it is null.
  mutating func take(_ name: String) -> JSONValue? {
    guard let index = members.firstIndex(where: { $0.name == name }) else { return nil }
    return members.remove(at: index).value
  }

  mutating func text(_ name: String) throws(StorageError) -> Text? {
    switch take(name) {
    case nil, .null?: return nil
    case .string(let text)?: return Text(text)
    default: throw Self.invalid(name)
    }
  }

  mutating func flag(_ name: String) throws(StorageError) -> Bool? {
    switch take(name) {
    case nil, .null?: return nil
    case .boolean(let flag)?: return flag
    default: throw Self.invalid(name)
    }
  }

  /// A number, or a text that is one.
  mutating func integer(_ name: String) throws(StorageError) -> Int64? {
    switch take(name) {
    case nil, .null?: return nil
    case .number(let text)?, .string(let text)?:
      guard let number = Int64(text) else { throw Self.invalid(name) }
      return number
    default: throw Self.invalid(name)
    }
  }

  mutating func texts(_ name: String) throws(StorageError) -> [Text]? {
    switch take(name) {
    case nil, .null?: return nil
    case .array(let elements)?:
      var texts: [Text] = []
      for element in elements {
        guard case .string(let text) = element else { throw Self.invalid(name) }
        texts.append(Text(text))
      }
      return texts
    default: throw Self.invalid(name)
    }
  }

  /// Passes over members that a client sends back as it got them.
  mutating func ignore(_ names: Set<String>) { members.removeAll { names.contains($0.name) } }

  /// Throws where a member is left.
  func end() throws(StorageError) {
    guard let left = members.first else { return }
    throw StorageError(.invalid, "Unknown or unsupported field: \(left.name.prefix(100))")
  }
}

extension JSONValue {
  /// An instant as text.
  static func time(_ microseconds: Int64) -> JSONValue {
    let milliseconds = microseconds / 1_000
    let seconds = milliseconds / 1_000
    let nanos = Int32(milliseconds % 1_000) * 1_000_000
    let text = TimestampText.format(seconds: seconds, nanos: nanos)
    // Clients expect the fraction, also where it is nothing.
    return .string(nanos == 0 ? String(text.dropLast()) + ".000Z" : text)
  }

  /// An instant as text, to the nanosecond, with 3, 6 or 9 digits behind the point.
  static func timeText(_ microseconds: Int64, nanos: Int64) -> String {
    let rest = (microseconds % 1_000_000 + 1_000_000) % 1_000_000
    let text = TimestampText.format(
      seconds: (microseconds - rest) / 1_000_000,
      nanos: Int32(rest * 1_000 + nanos)
    )
    return text.contains(".") ? text : text.dropLast() + ".000Z"
  }

  /// A 64-bit number as text.
  static func integer(_ number: Int64) -> JSONValue { .string("\(number)") }

  static func text(_ text: Text) -> JSONValue { .string(text.string) }
}
