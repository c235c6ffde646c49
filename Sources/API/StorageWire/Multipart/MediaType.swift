/// A header value with parameters: `multipart/related; boundary="a b"`, `form-data; name=key`.
package struct MediaType: Sendable, Equatable {
  /// The text before the first semicolon, in lower case.
  package let name: String
  /// By names in lower case; quotes are resolved.
  package let parameters: [String: String]

  /// The longest value that is read, in bytes.
  private static let longest = 4_096

  /// Reads a value; nil where it is malformed.
  package init?(_ text: String) {
    guard text.utf8.count <= Self.longest else { return nil }
    var units = Array(text.utf8)[...]
    name = Self.text(Self.trimmed(units.prefix { $0 != UInt8(ascii: ";") })).lowercased()
    guard !name.isEmpty else { return nil }
    units = units.drop { $0 != UInt8(ascii: ";") }
    var parameters: [String: String] = [:]
    while let first = units.first {
      guard first == UInt8(ascii: ";") else { return nil }
      units = units.dropFirst().drop(while: Self.isSpace)
      if units.isEmpty || units.first == UInt8(ascii: ";") { continue }
      guard let (key, value) = Self.parameter(&units),
        parameters.updateValue(value, forKey: key) == nil
      else { return nil }
      units = units.drop(while: Self.isSpace)
    }
    self.parameters = parameters
  }

  /// Takes `name=value` or `name="value"` from the beginning.
  private static func parameter(_ units: inout ArraySlice<UInt8>) -> (String, String)? {
    let key = text(trimmed(units.prefix { $0 != UInt8(ascii: "=") && $0 != UInt8(ascii: ";") }))
    units = units.drop { $0 != UInt8(ascii: "=") && $0 != UInt8(ascii: ";") }
    guard !key.isEmpty, units.popFirst() == UInt8(ascii: "=") else { return nil }
    guard units.first == UInt8(ascii: "\"") else {
      let value = units.prefix { $0 != UInt8(ascii: ";") }
      units = units.dropFirst(value.count)
      return (key.lowercased(), text(trimmed(value)))
    }
    units = units.dropFirst()
    var value: [UInt8] = []
    while let unit = units.popFirst() {
      switch unit {
      case UInt8(ascii: "\""): return (key.lowercased(), text(value[...]))
      case UInt8(ascii: "\\"):
        guard let escaped = units.popFirst() else { return nil }
        value.append(escaped)
      default: value.append(unit)
      }
    }
    return nil
  }

  private static func trimmed(_ units: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var units = units.drop(while: isSpace)
    while let last = units.last, isSpace(last) { units.removeLast() }
    return units
  }

  private static func isSpace(_ unit: UInt8) -> Bool { unit == 0x20 || unit == 0x09 }

  private static func text(_ units: ArraySlice<UInt8>) -> String {
    String(decoding: units, as: UTF8.self)
  }
}
