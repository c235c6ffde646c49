/// Cuts source into tokens, one at a time, from the parser's position on.
///
/// A `/` directly followed by a segment's character begins a path literal, so `7/2` is no division
/// while `7 / 2` is. Comments are `//` to the end of the line and `/* */`, not nested.
struct Lexer: Sendable {
  let bytes: [UInt8]

  /// The token that begins at or after `offset`, behind blanks and comments.
  func token(at offset: Int) throws(RulesIssue) -> Token {
    let start = try skipBlanks(from: offset)
    guard start < bytes.count else { return Token(kind: .end, range: start..<start) }
    let byte = bytes[start]
    switch byte {
    case UInt8(ascii: "b") where isQuote(at: start + 1):
      return try StringLexer(bytes: bytes, isBytes: true).literal(quoteAt: start + 1, start: start)
    case _ where Self.isWordStart(byte): return word(at: start)
    case _ where Self.isDigit(byte): return try number(at: start)
    case UInt8(ascii: ".") where isDigit(at: start + 1): return try number(at: start)
    case UInt8(ascii: "\""), UInt8(ascii: "'"):
      return try StringLexer(bytes: bytes, isBytes: false).literal(quoteAt: start, start: start)
    case UInt8(ascii: "/") where beginsPath(at: start):
      return Token(kind: .pathStart, range: start..<(start + 1))
    default: return try symbol(at: start)
    }
  }

  /// The first offset at or after `offset` that is neither blank nor comment.
  func skipBlanks(from offset: Int) throws(RulesIssue) -> Int {
    var index = offset
    while index < bytes.count {
      if Self.isBlank(bytes[index]) {
        index += 1
      } else if matches("//", at: index) {
        while index < bytes.count, bytes[index] != 0x0A { index += 1 }
      } else if matches("/*", at: index) {
        index = try endOfComment(from: index)
      } else {
        break
      }
    }
    return index
  }

  private func endOfComment(from start: Int) throws(RulesIssue) -> Int {
    var index = start + 2
    while index < bytes.count {
      if matches("*/", at: index) { return index + 2 }
      index += 1
    }
    throw .error("Missing the end of a comment.", at: start..<bytes.count)
  }

  private func word(at start: Int) -> Token {
    var end = start
    while end < bytes.count, Self.isWord(bytes[end]) { end += 1 }
    let text = String(decoding: bytes[start..<end], as: UTF8.self)
    return Token(kind: .word(text), range: start..<end)
  }

  private func number(at start: Int) throws(RulesIssue) -> Token {
    var end = start
    while isDigit(at: end) { end += 1 }
    var isFloat = false
    if end < bytes.count, bytes[end] == UInt8(ascii: ".") {
      isFloat = true
      end += 1
      while isDigit(at: end) { end += 1 }
    }
    let text = String(decoding: bytes[start..<end], as: UTF8.self)
    guard !isWordStart(at: end) else {
      throw .error("Invalid number literal.", at: start..<(end + 1))
    }
    if isFloat, let value = Double(text.hasSuffix(".") ? text + "0" : text) {
      return Token(kind: .float(value), range: start..<end)
    }
    // One past the greatest integer is legal behind a minus: the parser sees to that.
    if let value = UInt64(text), value <= UInt64(Int64.max) + 1 {
      return Token(kind: .integer(Int64(truncatingIfNeeded: value)), range: start..<end)
    }
    throw .error("Invalid number literal.", at: start..<end)
  }

  private static let symbols = [
    "++", "--", "&&", "||", "==", "!=", "<=", ">=", "**", "{", "}", "(", ")", "[", "]", ",", ";",
    ":", ".", "?", "!", "=", "<", ">", "+", "-", "*", "/", "%",
  ]

  private func symbol(at start: Int) throws(RulesIssue) -> Token {
    for symbol in Self.symbols where matches(symbol, at: start) {
      let range = start..<(start + symbol.utf8.count)
      if symbol == "++" || symbol == "--" {
        throw .error(
          "Increment (++) and decrement (--) operators are not supported.",
          at: range
        )
      }
      return Token(kind: .symbol(symbol), range: range)
    }
    let end = endOfCharacter(from: start)
    let text = String(decoding: bytes[start..<end], as: UTF8.self)
    throw .error("Unexpected '\(text)'.", at: start..<end)
  }

  private func endOfCharacter(from start: Int) -> Int {
    var end = start + 1
    while end < bytes.count, bytes[end] & 0xC0 == 0x80 { end += 1 }
    return end
  }

  /// Returns true if the `/` at that offset begins a path literal.
  private func beginsPath(at start: Int) -> Bool {
    let next = start + 1
    guard next < bytes.count else { return false }
    return PathLexer.isSegmentByte(bytes[next]) || bytes[next] == UInt8(ascii: "{")
      || bytes[next] == UInt8(ascii: "(") || matches("$(", at: next)
  }

  func matches(_ text: String, at offset: Int) -> Bool {
    let pattern = text.utf8
    guard offset + pattern.count <= bytes.count else { return false }
    return bytes[offset..<(offset + pattern.count)].elementsEqual(pattern)
  }

  private func isQuote(at offset: Int) -> Bool {
    offset < bytes.count
      && (bytes[offset] == UInt8(ascii: "\"") || bytes[offset] == UInt8(ascii: "'"))
  }

  private func isDigit(at offset: Int) -> Bool {
    offset < bytes.count && Self.isDigit(bytes[offset])
  }

  private func isWordStart(at offset: Int) -> Bool {
    offset < bytes.count && Self.isWordStart(bytes[offset])
  }

  static func isBlank(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D || byte == 0x0C
  }

  static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

  static func isWordStart(_ byte: UInt8) -> Bool {
    (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte) || byte == UInt8(ascii: "_")
      || byte == UInt8(ascii: "$")
  }

  static func isWord(_ byte: UInt8) -> Bool { isWordStart(byte) || isDigit(byte) }
}
