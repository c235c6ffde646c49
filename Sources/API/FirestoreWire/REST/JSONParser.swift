import DocumentCodec
import FirestoreModel

/// Parses JSON (RFC 8259) strictly; nesting is bounded.
///
/// Lone surrogates in `\u` escapes are refused: no UTF-8 string can hold them.
package struct JSONParser {
  /// A document of twenty levels takes sixty; queries nest a little deeper.
  private static let maximumDepth = 256

  private let bytes: UnsafeRawBufferPointer
  private var position = 0

  /// Parses one text; INVALID_ARGUMENT with Google's words where it is malformed.
  package static func parse(_ bytes: [UInt8]) throws(FirestoreError) -> JSONValue {
    try bytes.withUnsafeBytes { raw in
      Result { () throws(FirestoreError) in
        guard isValidUTF8(raw) else {
          throw .invalidArgument("Invalid JSON payload received. The text is not valid UTF-8.")
        }
        var parser = JSONParser(raw)
        return try parser.document()
      }
    }.get()
  }

  private init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  private mutating func document() throws(FirestoreError) -> JSONValue {
    let value = try value(depth: 0)
    skipSpace()
    if position < bytes.count { throw malformed("Unexpected token.") }
    return value
  }

  private mutating func value(depth: Int) throws(FirestoreError) -> JSONValue {
    guard depth < Self.maximumDepth else { throw malformed("Message too deep.") }
    skipSpace()
    guard let byte = peek() else { throw malformed("Unexpected end of string. Expected a value.") }
    switch byte {
    case UInt8(ascii: "{"): return try object(depth: depth)
    case UInt8(ascii: "["): return try array(depth: depth)
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: "-"), 0x30...0x39: return .number(try number())
    case UInt8(ascii: "t"): return try literal("true", .bool(true))
    case UInt8(ascii: "f"): return try literal("false", .bool(false))
    case UInt8(ascii: "n"): return try literal("null", .null)
    default: throw malformed("Expected a value.")
    }
  }

  private mutating func object(depth: Int) throws(FirestoreError) -> JSONValue {
    position += 1
    var members: [JSONValue.Member] = []
    skipSpace()
    if take(UInt8(ascii: "}")) { return .object(members) }
    while true {
      skipSpace()
      guard peek() == UInt8(ascii: "\"") else { throw malformed("Expected an object key or }.") }
      let name = try string()
      skipSpace()
      guard take(UInt8(ascii: ":")) else { throw malformed("Expected : between key:value pair.") }
      members.append(JSONValue.Member(name: name, value: try value(depth: depth + 1)))
      skipSpace()
      if take(UInt8(ascii: "}")) { return .object(members) }
      guard take(UInt8(ascii: ",")) else {
        throw malformed("Expected , or } after key:value pair.")
      }
    }
  }

  private mutating func array(depth: Int) throws(FirestoreError) -> JSONValue {
    position += 1
    var elements: [JSONValue] = []
    skipSpace()
    if take(UInt8(ascii: "]")) { return .array(elements) }
    while true {
      elements.append(try value(depth: depth + 1))
      skipSpace()
      if take(UInt8(ascii: "]")) { return .array(elements) }
      guard take(UInt8(ascii: ",")) else {
        throw malformed("Expected , or ] after array value.")
      }
    }
  }

  private mutating func literal(
    _ word: StaticString,
    _ value: JSONValue
  ) throws(FirestoreError) -> JSONValue {
    let length = word.utf8CodeUnitCount
    let expected = UnsafeRawBufferPointer(start: word.utf8Start, count: length)
    guard bytes.count - position >= length,
      bytes[position..<(position + length)].elementsEqual(expected)
    else { throw malformed("Unexpected token.") }
    position += length
    return value
  }

  private mutating func number() throws(FirestoreError) -> String {
    let start = position
    _ = take(UInt8(ascii: "-"))
    if !take(UInt8(ascii: "0")) { try digits() }
    if take(UInt8(ascii: ".")) { try digits() }
    if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
      if !take(UInt8(ascii: "+")) { _ = take(UInt8(ascii: "-")) }
      try digits()
    }
    return String(decoding: bytes[start..<position], as: UTF8.self)
  }

  private mutating func digits() throws(FirestoreError) {
    let start = position
    while let byte = peek(), (0x30...0x39).contains(byte) { position += 1 }
    if position == start { throw malformed("Unable to parse number.") }
  }

  private mutating func string() throws(FirestoreError) -> String {
    position += 1
    let start = position
    while let byte = peek() {
      switch byte {
      case UInt8(ascii: "\""):
        position += 1
        return String(decoding: bytes[start..<(position - 1)], as: UTF8.self)
      case UInt8(ascii: "\\"): return try escapedString(from: start)
      case 0..<0x20: throw malformed("Control character in string.")
      default: position += 1
      }
    }
    throw malformed("Closing quote expected in string.")
  }

  private mutating func escapedString(from start: Int) throws(FirestoreError) -> String {
    var text = Array(bytes[start..<position])
    while let byte = peek() {
      position += 1
      switch byte {
      case UInt8(ascii: "\""): return String(decoding: text, as: UTF8.self)
      case UInt8(ascii: "\\"): try escape(into: &text)
      case 0..<0x20: throw malformed("Control character in string.")
      default: text.append(byte)
      }
    }
    throw malformed("Closing quote expected in string.")
  }

  private mutating func escape(into text: inout [UInt8]) throws(FirestoreError) {
    guard let byte = peek() else { throw malformed("Closing quote expected in string.") }
    position += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(byte)
    case UInt8(ascii: "b"): text.append(0x08)
    case UInt8(ascii: "f"): text.append(0x0C)
    case UInt8(ascii: "n"): text.append(0x0A)
    case UInt8(ascii: "r"): text.append(0x0D)
    case UInt8(ascii: "t"): text.append(0x09)
    case UInt8(ascii: "u"):
      let scalar = try unicodeScalar()
      text.append(contentsOf: String(Character(scalar)).utf8)
    default: throw malformed("Invalid escape sequence.")
    }
  }

  private mutating func unicodeScalar() throws(FirestoreError) -> Unicode.Scalar {
    var code = try hexadecimal()
    if (0xD800...0xDBFF).contains(code), take(UInt8(ascii: "\\")), take(UInt8(ascii: "u")) {
      let low = try hexadecimal()
      guard (0xDC00...0xDFFF).contains(low) else { throw malformed("Invalid surrogate pair.") }
      code = 0x10000 + (code - 0xD800) << 10 + (low - 0xDC00)
    }
    guard let scalar = Unicode.Scalar(code) else { throw malformed("Invalid surrogate pair.") }
    return scalar
  }

  private mutating func hexadecimal() throws(FirestoreError) -> UInt32 {
    guard bytes.count - position >= 4 else { throw malformed("Invalid escape sequence.") }
    var code: UInt32 = 0
    for _ in 0..<4 {
      guard let digit = Hexadecimal.digit(bytes[position]) else {
        throw malformed("Invalid escape sequence.")
      }
      code = code << 4 | UInt32(digit)
      position += 1
    }
    return code
  }

  private func peek() -> UInt8? { position < bytes.count ? bytes[position] : nil }

  private mutating func take(_ byte: UInt8) -> Bool {
    guard peek() == byte else { return false }
    position += 1
    return true
  }

  private mutating func skipSpace() {
    while let byte = peek(), byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 {
      position += 1
    }
  }

  /// Google's form: what is wrong, the text around it, and a mark below the position.
  private func malformed(_ problem: String) -> FirestoreError {
    let before = bytes[max(0, position - 20)..<position].prefix(20)
    let after = bytes[position..<min(bytes.count, position + 20)]
    let excerpt = String(decoding: Array(before) + Array(after), as: UTF8.self)
      .map { $0.isNewline ? " " : $0 }
    let mark = String(repeating: " ", count: String(decoding: before, as: UTF8.self).count)
    return .invalidArgument(
      "Invalid JSON payload received. \(problem)\n\(String(excerpt))\n\(mark)^"
    )
  }
}
