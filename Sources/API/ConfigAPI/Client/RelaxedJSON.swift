import FirestoreModel

/// Reads JSON as Google's iOS SDK writes it: names may be without quotes, texts in single ones.
///
/// Everything else is as strict as JSON, so that this reads that too. Safe on hostile text.
struct RelaxedJSON {
  private static let maximumDepth = 16

  private let bytes: [UInt8]
  private var position = 0

  /// Reads one document; INVALID_ARGUMENT where it is malformed.
  static func parse(_ bytes: [UInt8]) throws(FirestoreError) -> JSONText {
    guard String(validating: bytes, as: UTF8.self) != nil else {
      throw .invalidArgument("Invalid JSON payload received. The text is not valid UTF-8.")
    }
    var parser = RelaxedJSON(bytes: bytes)
    let value = try parser.value(depth: 0)
    parser.skipSpace()
    guard parser.current == nil else { throw parser.malformed("Unexpected text after the value.") }
    return value
  }

  private init(bytes: [UInt8]) { self.bytes = bytes }

  private var current: UInt8? { position < bytes.count ? bytes[position] : nil }

  private func malformed(_ problem: String) -> FirestoreError {
    .invalidArgument("Invalid JSON payload received. \(problem) (at byte \(position))")
  }

  private mutating func value(depth: Int) throws(FirestoreError) -> JSONText {
    guard depth < Self.maximumDepth else { throw malformed("Message too deep.") }
    skipSpace()
    switch current {
    case UInt8(ascii: "{"): return try object(depth: depth)
    case UInt8(ascii: "["): return try array(depth: depth)
    case UInt8(ascii: "'"), UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: "-"), (0x30...0x39)?: return try number()
    case nil: throw malformed("Unexpected end. Expected a value.")
    default: return try word()
    }
  }

  private mutating func object(depth: Int) throws(FirestoreError) -> JSONText {
    position += 1
    var members: [JSONText.Member] = []
    skipSpace()
    if take(UInt8(ascii: "}")) { return .object([]) }
    while true {
      skipSpace()
      let name = try name()
      skipSpace()
      guard take(UInt8(ascii: ":")) else { throw malformed("Expected : after a name.") }
      members.append(.init(name, try value(depth: depth + 1)))
      skipSpace()
      if take(UInt8(ascii: "}")) { return .object(members) }
      guard take(UInt8(ascii: ",")) else { throw malformed("Expected , or }.") }
    }
  }

  private mutating func array(depth: Int) throws(FirestoreError) -> JSONText {
    position += 1
    var elements: [JSONText] = []
    skipSpace()
    if take(UInt8(ascii: "]")) { return .array([]) }
    while true {
      elements.append(try value(depth: depth + 1))
      skipSpace()
      if take(UInt8(ascii: "]")) { return .array(elements) }
      guard take(UInt8(ascii: ",")) else { throw malformed("Expected , or ].") }
    }
  }

  private mutating func name() throws(FirestoreError) -> String {
    if current == UInt8(ascii: "'") || current == UInt8(ascii: "\"") { return try string() }
    let word = takeWord()
    guard !word.isEmpty else { throw malformed("Expected an object key or }.") }
    return word
  }

  private mutating func word() throws(FirestoreError) -> JSONText {
    switch takeWord() {
    case "true": return .boolean(true)
    case "false": return .boolean(false)
    case "null", "nil": return .null
    default: throw malformed("Expected a value.")
    }
  }

  private mutating func takeWord() -> String {
    take { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "$"):
        true
      default: false
      }
    }
  }

  private mutating func number() throws(FirestoreError) -> JSONText {
    let text = take { byte in
      switch byte {
      case 0x30...0x39, UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "."),
        UInt8(ascii: "e"), UInt8(ascii: "E"):
        true
      default: false
      }
    }
    guard let number = Double(text), number.isFinite else { throw malformed("No number.") }
    return .number(text)
  }

  private mutating func string() throws(FirestoreError) -> String {
    let quote = bytes[position]
    position += 1
    var text: [UInt8] = []
    while let byte = current {
      position += 1
      if byte == quote { return String(decoding: text, as: UTF8.self) }
      if byte == UInt8(ascii: "\\") { try escape(into: &text) } else { text.append(byte) }
    }
    throw malformed("Closing quote expected in string.")
  }

  private mutating func escape(into text: inout [UInt8]) throws(FirestoreError) {
    guard let byte = current else { throw malformed("Closing quote expected in string.") }
    position += 1
    switch byte {
    case UInt8(ascii: "b"): text.append(0x08)
    case UInt8(ascii: "f"): text.append(0x0C)
    case UInt8(ascii: "n"): text.append(0x0A)
    case UInt8(ascii: "r"): text.append(0x0D)
    case UInt8(ascii: "t"): text.append(0x09)
    case UInt8(ascii: "u"): text += Array(String(Character(try scalar())).utf8)
    case UInt8(ascii: "'"), UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"):
      text.append(byte)
    default: throw malformed("Invalid escape sequence.")
    }
  }

  private mutating func scalar() throws(FirestoreError) -> Unicode.Scalar {
    var code = try hexadecimal()
    if (0xD800..<0xDC00).contains(code), take(UInt8(ascii: "\\")), take(UInt8(ascii: "u")) {
      let low = try hexadecimal()
      guard (0xDC00..<0xE000).contains(low) else { throw malformed("Invalid surrogate pair.") }
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

  private mutating func take(while condition: (UInt8) -> Bool) -> String {
    let start = position
    while let byte = current, condition(byte) { position += 1 }
    return String(decoding: bytes[start..<position], as: UTF8.self)
  }

  private mutating func take(_ byte: UInt8) -> Bool {
    guard current == byte else { return false }
    position += 1
    return true
  }

  private mutating func skipSpace() {
    while let byte = current, [0x20, 0x09, 0x0A, 0x0D].contains(byte) { position += 1 }
  }
}
