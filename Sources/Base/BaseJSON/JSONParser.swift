import BaseStatus
import BaseText

extension JSONValue {
  /// The document of a file or a stored text, of at most 32 levels; the error names the line where it is malformed.
  package init(parsing text: String) throws(ServiceError) {
    self = try JSONParser.parse(Array(text.utf8), maximumDepth: 32, source: .file)
  }
}

/// Parses JSON (RFC 8259); nesting is bounded, so that hostile text does no harm.
///
/// Lone surrogates in `\u` escapes are refused: no UTF-8 string can hold them.
package struct JSONParser {
  /// The texts that are taken for JSON.
  package enum Syntax: Sendable {
    /// Those of RFC 8259.
    case strict
    /// Those of Google's iOS SDK too: names without quotes, texts in single quotes, and `nil`.
    case relaxed
  }

  /// The origin of a text, which decides how an error shows its place.
  package enum Source: Sendable {
    /// A request: Google's words, with the text around the place.
    case payload
    /// A file: its line.
    case file
  }

  /// The depth of requests: a document of twenty levels takes sixty; queries nest a little deeper.
  package static let requestDepth = 256

  private let bytes: UnsafeRawBufferPointer
  private let maximumDepth: Int
  private let isRelaxed: Bool
  private let source: Source
  private var position = 0

  /// Parses one text; INVALID_ARGUMENT where it is malformed or has more levels than that.
  package static func parse(
    _ bytes: [UInt8],
    syntax: Syntax = .strict,
    maximumDepth: Int = requestDepth,
    source: Source = .payload
  ) throws(ServiceError) -> JSONValue {
    try bytes.withUnsafeBytes { raw in
      Result { () throws(ServiceError) in
        var parser = JSONParser(
          bytes: raw,
          maximumDepth: maximumDepth,
          isRelaxed: syntax == .relaxed,
          source: source
        )
        guard isValidUTF8(raw) else {
          throw .invalidArgument("Invalid JSON payload received. The text is not valid UTF-8.")
        }
        return try parser.document()
      }
    }.get()
  }

  private init(bytes: UnsafeRawBufferPointer, maximumDepth: Int, isRelaxed: Bool, source: Source) {
    self.bytes = bytes
    self.maximumDepth = maximumDepth
    self.isRelaxed = isRelaxed
    self.source = source
  }

  private mutating func document() throws(ServiceError) -> JSONValue {
    let value = try value(depth: 0)
    skipSpace()
    if position < bytes.count { throw malformed("Unexpected token.") }
    return value
  }

  private mutating func value(depth: Int) throws(ServiceError) -> JSONValue {
    guard depth < maximumDepth else { throw malformed("Message too deep.") }
    skipSpace()
    guard let byte = peek() else { throw malformed("Unexpected end of string. Expected a value.") }
    switch byte {
    case UInt8(ascii: "{"): return try object(depth: depth)
    case UInt8(ascii: "["): return try array(depth: depth)
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: "'") where isRelaxed: return .string(try string())
    case UInt8(ascii: "-"), 0x30...0x39: return .number(try number())
    case UInt8(ascii: "t"): return try literal("true", .boolean(true))
    case UInt8(ascii: "f"): return try literal("false", .boolean(false))
    case UInt8(ascii: "n"):
      return isRelaxed && bytes[position...].starts(with: "nil".utf8)
        ? try literal("nil", .null) : try literal("null", .null)
    default: throw malformed("Expected a value.")
    }
  }

  private mutating func object(depth: Int) throws(ServiceError) -> JSONValue {
    position += 1
    var members: [JSONValue.Member] = []
    skipSpace()
    if take(UInt8(ascii: "}")) { return .object(members) }
    while true {
      skipSpace()
      let name = try name()
      skipSpace()
      guard take(UInt8(ascii: ":")) else { throw malformed("Expected : between key:value pair.") }
      members.append(JSONValue.Member(name, try value(depth: depth + 1)))
      skipSpace()
      if take(UInt8(ascii: "}")) { return .object(members) }
      guard take(UInt8(ascii: ",")) else {
        throw malformed("Expected , or } after key:value pair.")
      }
    }
  }

  private mutating func name() throws(ServiceError) -> String {
    switch peek() {
    case UInt8(ascii: "\""): return try string()
    case UInt8(ascii: "'") where isRelaxed: return try string()
    case let byte? where isRelaxed && Self.isInWord(byte):
      let start = position
      while let byte = peek(), Self.isInWord(byte) { position += 1 }
      return String(decoding: bytes[start..<position], as: UTF8.self)
    default: throw malformed("Expected an object key or }.")
    }
  }

  private static func isInWord(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "$"):
      true
    default: false
    }
  }

  private mutating func array(depth: Int) throws(ServiceError) -> JSONValue {
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
  ) throws(ServiceError) -> JSONValue {
    let length = word.utf8CodeUnitCount
    let expected = UnsafeRawBufferPointer(start: word.utf8Start, count: length)
    guard bytes.count - position >= length,
      bytes[position..<(position + length)].elementsEqual(expected)
    else { throw malformed("Unexpected token.") }
    position += length
    return value
  }

  private mutating func number() throws(ServiceError) -> String {
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

  private mutating func digits() throws(ServiceError) {
    let start = position
    while let byte = peek(), (0x30...0x39).contains(byte) { position += 1 }
    if position == start { throw malformed("Unable to parse number.") }
  }

  private mutating func string() throws(ServiceError) -> String {
    let quote = bytes[position]
    position += 1
    let start = position
    while let byte = peek() {
      switch byte {
      case quote:
        position += 1
        return String(decoding: bytes[start..<(position - 1)], as: UTF8.self)
      case UInt8(ascii: "\\"): return try escapedString(from: start, to: quote)
      case 0..<0x20 where !isRelaxed: throw malformed("Control character in string.")
      default: position += 1
      }
    }
    throw malformed("Closing quote expected in string.")
  }

  private mutating func escapedString(
    from start: Int,
    to quote: UInt8
  ) throws(ServiceError) -> String {
    var text = Array(bytes[start..<position])
    while let byte = peek() {
      position += 1
      switch byte {
      case quote: return String(decoding: text, as: UTF8.self)
      case UInt8(ascii: "\\"): try escape(into: &text)
      case 0..<0x20 where !isRelaxed: throw malformed("Control character in string.")
      default: text.append(byte)
      }
    }
    throw malformed("Closing quote expected in string.")
  }

  private mutating func escape(into text: inout [UInt8]) throws(ServiceError) {
    guard let byte = peek() else { throw malformed("Closing quote expected in string.") }
    position += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(byte)
    case UInt8(ascii: "'") where isRelaxed: text.append(byte)
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

  private mutating func unicodeScalar() throws(ServiceError) -> Unicode.Scalar {
    var code = try hexadecimal()
    if (0xD800...0xDBFF).contains(code), take(UInt8(ascii: "\\")), take(UInt8(ascii: "u")) {
      let low = try hexadecimal()
      guard (0xDC00...0xDFFF).contains(low) else { throw malformed("Invalid surrogate pair.") }
      code = 0x10000 + (code - 0xD800) << 10 + (low - 0xDC00)
    }
    guard let scalar = Unicode.Scalar(code) else { throw malformed("Invalid surrogate pair.") }
    return scalar
  }

  private mutating func hexadecimal() throws(ServiceError) -> UInt32 {
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

  private func malformed(_ problem: String) -> ServiceError {
    switch source {
    case .payload: malformedPayload(problem)
    case .file:
      .invalidArgument(
        "The file is not valid JSON: line \(bytes.prefix(position).count { $0 == 0x0A } + 1): \(problem)"
      )
    }
  }

  /// Google's form: the fault, the text around it, and a mark below the position.
  private func malformedPayload(_ problem: String) -> ServiceError {
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
