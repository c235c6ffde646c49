/// A JSON document (RFC 8259) with its members in their order and its numbers as they are spelled.
package indirect enum JSONText: Sendable, Equatable {
  case null
  case boolean(Bool)
  /// As it is spelled.
  case number(String)
  case string(String)
  case array([JSONText])
  /// In the order of the document.
  case object([Member])

  /// One member of an object.
  package struct Member: Sendable, Equatable {
    /// The name with its escapes resolved; a document may have it twice.
    package let key: String
    /// The member's value, its numbers as they are spelled.
    package let value: JSONText

    /// A member of that name.
    package init(_ key: String, _ value: JSONText) {
      self.key = key
      self.value = value
    }
  }

  /// Reads a whole document; the error says where it is malformed.
  package init(parsing text: String) throws(FirestoreError) {
    var parser = JSONParser(Array(text.utf8))
    self = try parser.document()
  }

  /// The document on several lines, two spaces a level; lists and objects of `flat` are on one.
  package func printed(indent: Int = 0, flat: (JSONText) -> Bool = { _ in false }) -> String {
    let inner = String(repeating: " ", count: indent + 2)
    let outer = String(repeating: " ", count: indent)
    switch self {
    case .null: return "null"
    case .boolean(let flag): return flag ? "true" : "false"
    case .number(let digits): return digits
    case .string(let text): return Self.quoted(text)
    case .array(let elements):
      if elements.isEmpty { return "[]" }
      let lines = elements.map { $0.printed(indent: indent + 2, flat: flat) }
      if flat(self) { return "[" + lines.joined(separator: ", ") + "]" }
      return "[\n" + lines.map { inner + $0 }.joined(separator: ",\n") + "\n\(outer)]"
    case .object(let members):
      let lines = members.map {
        "\(Self.quoted($0.key)): \($0.value.printed(indent: indent + 2, flat: flat))"
      }
      if flat(self) { return "{ " + lines.joined(separator: ", ") + " }" }
      return "{\n" + lines.map { inner + $0 }.joined(separator: ",\n") + "\n\(outer)}"
    }
  }

  /// The document without any space.
  package var compact: String { String(decoding: compactBytes, as: UTF8.self) }

  /// The document without any space, in UTF-8.
  package var compactBytes: [UInt8] {
    var bytes: [UInt8] = []
    append(to: &bytes)
    return bytes
  }

  private func append(to bytes: inout [UInt8]) {
    switch self {
    case .null: bytes += "null".utf8
    case .boolean(let flag): bytes += (flag ? "true" : "false").utf8
    case .number(let digits): bytes += digits.utf8
    case .string(let text): Self.append(quoted: text, to: &bytes)
    case .array(let elements):
      bytes.append(UInt8(ascii: "["))
      for (index, element) in elements.enumerated() {
        if index > 0 { bytes.append(UInt8(ascii: ",")) }
        element.append(to: &bytes)
      }
      bytes.append(UInt8(ascii: "]"))
    case .object(let members):
      bytes.append(UInt8(ascii: "{"))
      for (index, member) in members.enumerated() {
        if index > 0 { bytes.append(UInt8(ascii: ",")) }
        Self.append(quoted: member.key, to: &bytes)
        bytes.append(UInt8(ascii: ":"))
        member.value.append(to: &bytes)
      }
      bytes.append(UInt8(ascii: "}"))
    }
  }

  private static func quoted(_ text: String) -> String {
    var bytes: [UInt8] = []
    append(quoted: text, to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func append(quoted text: String, to bytes: inout [UInt8]) {
    var text = text
    bytes.append(UInt8(ascii: "\""))
    text.withUTF8 { utf8 in
      var plain = utf8.startIndex
      for index in utf8.indices {
        let byte = utf8[index]
        guard byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") else {
          continue
        }
        bytes += utf8[plain..<index]
        bytes += escape(byte).utf8
        plain = index + 1
      }
      bytes += utf8[plain...]
    }
    bytes.append(UInt8(ascii: "\""))
  }

  /// How a byte is spelled that may not stand in a string as it is.
  private static func escape(_ byte: UInt8) -> String {
    switch byte {
    case UInt8(ascii: "\""): return "\\\""
    case UInt8(ascii: "\\"): return "\\\\"
    case UInt8(ascii: "\n"): return "\\n"
    case UInt8(ascii: "\t"): return "\\t"
    case UInt8(ascii: "\r"): return "\\r"
    default:
      let digits = String(byte, radix: 16)
      return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    }
  }
}

/// Reads JSON from UTF-8; safe on hostile text.
private struct JSONParser {
  private static let maximumDepth = 32

  private let bytes: [UInt8]
  private var position = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  mutating func document() throws(FirestoreError) -> JSONText {
    let result = try value(depth: 0)
    skipSpace()
    if position < bytes.count { throw malformed("text after the document") }
    return result
  }

  private mutating func value(depth: Int) throws(FirestoreError) -> JSONText {
    if depth > Self.maximumDepth { throw malformed("nesting too deep") }
    skipSpace()
    switch peek {
    case UInt8(ascii: "{"): return try object(depth: depth)
    case UInt8(ascii: "["): return try array(depth: depth)
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: "t"): return try word("true", .boolean(true))
    case UInt8(ascii: "f"): return try word("false", .boolean(false))
    case UInt8(ascii: "n"): return try word("null", .null)
    default: return try number()
    }
  }

  private mutating func object(depth: Int) throws(FirestoreError) -> JSONText {
    position += 1
    var members: [JSONText.Member] = []
    skipSpace()
    if take("}") { return .object(members) }
    repeat {
      skipSpace()
      guard peek == UInt8(ascii: "\"") else { throw malformed("a member's name is expected") }
      let key = try string()
      skipSpace()
      guard take(":") else { throw malformed("':' is expected") }
      members.append(JSONText.Member(key, try value(depth: depth + 1)))
      skipSpace()
    } while take(",")
    guard take("}") else { throw malformed("',' or '}' is expected") }
    return .object(members)
  }

  private mutating func array(depth: Int) throws(FirestoreError) -> JSONText {
    position += 1
    var elements: [JSONText] = []
    skipSpace()
    if take("]") { return .array(elements) }
    repeat {
      elements.append(try value(depth: depth + 1))
      skipSpace()
    } while take(",")
    guard take("]") else { throw malformed("',' or ']' is expected") }
    return .array(elements)
  }

  private mutating func string() throws(FirestoreError) -> String {
    position += 1
    let plain = bytes[position...].prefix {
      $0 >= 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\")
    }
    var result = Array(plain)
    position = plain.endIndex
    while let byte = peek {
      position += 1
      switch byte {
      case UInt8(ascii: "\""):
        guard let text = String(validating: result, as: UTF8.self)
        else { throw malformed("a string is not UTF-8") }
        return text
      case UInt8(ascii: "\\"): result += try escape()
      case ..<0x20: throw malformed("a control character in a string")
      default: result.append(byte)
      }
    }
    throw malformed("a string does not end")
  }

  private mutating func escape() throws(FirestoreError) -> [UInt8] {
    guard let byte = peek else { throw malformed("a string does not end") }
    position += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return [byte]
    case UInt8(ascii: "b"): return [0x08]
    case UInt8(ascii: "f"): return [0x0C]
    case UInt8(ascii: "n"): return [0x0A]
    case UInt8(ascii: "r"): return [0x0D]
    case UInt8(ascii: "t"): return [0x09]
    case UInt8(ascii: "u"): return Array(String(Character(try scalar())).utf8)
    default: throw malformed("an unknown escape")
    }
  }

  private mutating func scalar() throws(FirestoreError) -> Unicode.Scalar {
    let first = try hexadecimal()
    if let scalar = Unicode.Scalar(first) { return scalar }
    guard (0xD800..<0xDC00).contains(first), take("\\"), take("u")
    else { throw malformed("half a surrogate pair") }
    let second = try hexadecimal()
    guard (0xDC00..<0xE000).contains(second),
      let scalar = Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
    else { throw malformed("half a surrogate pair") }
    return scalar
  }

  private mutating func hexadecimal() throws(FirestoreError) -> UInt32 {
    let digits = bytes.dropFirst(position).prefix(4)
    guard digits.count == 4, digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }),
      let number = UInt32(String(decoding: digits, as: UTF8.self), radix: 16)
    else { throw malformed("four hexadecimal digits are expected") }
    position += 4
    return number
  }

  private mutating func number() throws(FirestoreError) -> JSONText {
    let start = position
    while let byte = peek, "+-.0123456789eE".utf8.contains(byte) { position += 1 }
    let digits = String(decoding: bytes[start..<position], as: UTF8.self)
    guard Double(digits) != nil else { throw malformed("a value is expected") }
    return .number(digits)
  }

  private mutating func word(
    _ word: StaticString,
    _ value: JSONText
  ) throws(FirestoreError) -> JSONText {
    let expected = "\(word)".utf8
    guard bytes.dropFirst(position).starts(with: expected) else {
      throw malformed("a value is expected")
    }
    position += expected.count
    return value
  }

  private var peek: UInt8? { position < bytes.count ? bytes[position] : nil }

  private mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard peek == UInt8(ascii: character) else { return false }
    position += 1
    return true
  }

  private mutating func skipSpace() {
    while let byte = peek, " \t\r\n".utf8.contains(byte) { position += 1 }
  }

  private func malformed(_ problem: String) -> FirestoreError {
    let line = bytes.prefix(position).count { $0 == 0x0A } + 1
    return .invalidArgument("The file is not valid JSON: line \(line): \(problem).")
  }
}
