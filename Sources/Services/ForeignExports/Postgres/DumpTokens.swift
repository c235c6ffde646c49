/// A word of a statement.
enum DumpToken: Equatable {
  /// A name or key word, small unless it was quoted.
  case word(String)
  /// A name between quotes, which is no key word.
  case name(String)
  case text(String)
  case number(String)
  case sign(UInt8)

  /// The name that it is.
  var identifier: String? {
    switch self {
    case .word(let text), .name(let text): text
    default: nil
    }
  }

  func isSign(_ text: UnicodeScalar) -> Bool { self == .sign(UInt8(ascii: text)) }
}

/// Reads the words of a statement one by one.
struct DumpTokens {
  private let bytes: [UInt8]
  private var position = 0
  private var peeked: DumpToken?

  init(_ statement: [UInt8]) { bytes = statement }

  /// The next word, which stays.
  mutating func peek() -> DumpToken? {
    if peeked == nil { peeked = read() }
    return peeked
  }

  /// The next word; nil behind the last.
  mutating func next() -> DumpToken? {
    defer { peeked = nil }
    return peeked ?? read()
  }

  /// Takes these key words if all of them follow.
  mutating func take(_ words: String...) -> Bool {
    let start = self
    for word in words where next() != .word(word) {
      self = start
      return false
    }
    return true
  }

  mutating func takeSign(_ sign: UnicodeScalar) -> Bool {
    guard peek()?.isSign(sign) == true else { return false }
    _ = next()
    return true
  }

  /// A table's name, with its schema where it has one.
  mutating func table() -> TableName? {
    guard let first = next()?.identifier else { return nil }
    guard takeSign(".") else { return TableName(schema: "public", name: first) }
    return next()?.identifier.map { TableName(schema: first, name: $0) }
  }

  /// Names between parentheses; nil where there are none.
  mutating func names() -> [String]? {
    guard takeSign("(") else { return nil }
    var names: [String] = []
    while let token = next() {
      if token.isSign(")") { return names }
      if let name = token.identifier { names.append(name) }
    }
    return nil
  }

  private static func isWord(_ byte: UInt8) -> Bool {
    byte == 0x5F || (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte)
      || (0x61...0x7A).contains(byte) || byte >= 0x80
  }

  private mutating func read() -> DumpToken? {
    while position < bytes.count, bytes[position] == 0x20 || (0x09...0x0D).contains(bytes[position])
    {
      position += 1
    }
    guard position < bytes.count else { return nil }
    let byte = bytes[position]
    if byte == UInt8(ascii: "'") { return .text(quoted(byte, escapes: false)) }
    if byte == UInt8(ascii: "\"") { return .name(quoted(byte, escapes: false)) }
    if (byte | 0x20) == UInt8(ascii: "e"), position + 1 < bytes.count,
      bytes[position + 1] == UInt8(ascii: "'")
    {
      position += 1
      return .text(quoted(bytes[position], escapes: true))
    }
    let isDigit = (0x30...0x39).contains(byte)
    let isSigned = byte == UInt8(ascii: "-") || byte == UInt8(ascii: "+")
    if isDigit
      || isSigned && position + 1 < bytes.count && (0x30...0x39).contains(bytes[position + 1])
    {
      return .number(number())
    }
    if Self.isWord(byte) {
      let start = position
      while position < bytes.count, Self.isWord(bytes[position]) { position += 1 }
      return .word(String(decoding: bytes[start..<position], as: UTF8.self).lowercased())
    }
    position += 1
    return .sign(byte)
  }

  private mutating func number() -> String {
    let start = position
    position += 1
    while position < bytes.count {
      let byte = bytes[position]
      let isExponent =
        (byte == UInt8(ascii: "-") || byte == UInt8(ascii: "+"))
        && (bytes[position - 1] | 0x20) == UInt8(ascii: "e")
      guard Self.isWord(byte) || byte == UInt8(ascii: ".") || isExponent else { break }
      position += 1
    }
    return String(decoding: bytes[start..<position], as: UTF8.self)
  }

  /// The text between two quotes; two of them in it are one.
  private mutating func quoted(_ quote: UInt8, escapes: Bool) -> String {
    var text: [UInt8] = []
    position += 1
    while position < bytes.count {
      let byte = bytes[position]
      position += 1
      if byte == quote {
        guard position < bytes.count, bytes[position] == quote else { break }
        position += 1
      } else if escapes, byte == UInt8(ascii: "\\"), position < bytes.count {
        text.append(Self.escaped(bytes[position]))
        position += 1
        continue
      }
      text.append(byte)
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// The byte that a letter behind a backslash stands for.
  static func escaped(_ byte: UInt8) -> UInt8 {
    switch byte {
    case UInt8(ascii: "n"): 0x0A
    case UInt8(ascii: "t"): 0x09
    case UInt8(ascii: "r"): 0x0D
    case UInt8(ascii: "b"): 0x08
    case UInt8(ascii: "f"): 0x0C
    case UInt8(ascii: "v"): 0x0B
    default: byte
    }
  }
}

/// The name of a table.
package struct TableName: Sendable, Hashable, CustomStringConvertible {
  /// The schema, such as `public`.
  package let schema: String
  /// The name in the schema.
  package let name: String

  /// A table's name.
  package init(schema: String, name: String) {
    self.schema = schema
    self.name = name
  }

  /// The name with its schema.
  package var description: String { "\(schema).\(name)" }
}
