import BaseText

/// Reads string and byte literals with their escapes.
///
/// They are `\\ \' \" \n \r \t \b \f \xHH \NNN`, and in strings `\uXXXX`; any other escape counts as a missing quote, as it does for Google's compiler.
struct StringLexer: Sendable {
  let bytes: [UInt8]
  /// `b'…'`: `\x` and octal escapes give single bytes.
  let isBytes: Bool

  /// The literal whose opening quote is at that offset and whose token begins at `start`.
  func literal(quoteAt quote: Int, start: Int) throws(RulesIssue) -> Token {
    var units = LiteralUnits(isBytes: isBytes)
    var index = quote + 1
    while index < bytes.count, bytes[index] != bytes[quote], bytes[index] != 0x0A {
      if bytes[index] == UInt8(ascii: "\\") {
        guard let next = escape(at: index + 1, into: &units) else {
          throw missingQuote(start..<min(index + 2, bytes.count), quote: quote)
        }
        index = next
      } else {
        units.append(raw: bytes[index])
        index += 1
      }
    }
    guard index < bytes.count, bytes[index] == bytes[quote] else {
      throw missingQuote(start..<index, quote: quote)
    }
    let range = start..<(index + 1)
    if isBytes { return Token(kind: .bytes(units.finish()), range: range) }
    return Token(
      kind: .string(Text(String(decoding: units.finish(), as: UTF8.self))),
      range: range
    )
  }

  private func missingQuote(_ range: Range<Int>, quote: Int) -> RulesIssue {
    let character = Character(UnicodeScalar(bytes[quote]))
    return .error("Missing a closing \(character)", at: range)
  }

  private static let simpleEscapes: [UInt8: UInt8] = [
    UInt8(ascii: "\\"): UInt8(ascii: "\\"), UInt8(ascii: "'"): UInt8(ascii: "'"),
    UInt8(ascii: "\""): UInt8(ascii: "\""), UInt8(ascii: "n"): 0x0A, UInt8(ascii: "r"): 0x0D,
    UInt8(ascii: "t"): 0x09, UInt8(ascii: "b"): 0x08, UInt8(ascii: "f"): 0x0C,
  ]

  /// Reads the text after a backslash; returns the offset behind it, or nil if it is not an escape.
  private func escape(at offset: Int, into units: inout LiteralUnits) -> Int? {
    guard offset < bytes.count else { return nil }
    if let plain = Self.simpleEscapes[bytes[offset]] {
      units.append(raw: plain)
      return offset + 1
    }
    switch bytes[offset] {
    case UInt8(ascii: "x"):
      return code(at: offset + 1, count: 2, radix: 16, into: &units)
    case UInt8(ascii: "u") where !isBytes:
      return code(at: offset + 1, count: 4, radix: 16, into: &units)
    case UInt8(ascii: "0")...UInt8(ascii: "7"):
      return code(at: offset, count: 3, radix: 8, into: &units)
    default: return nil
    }
  }

  private func code(
    at offset: Int,
    count: Int,
    radix: Int,
    into units: inout LiteralUnits
  ) -> Int? {
    guard offset + count <= bytes.count else { return nil }
    let digits = bytes[offset..<(offset + count)]
    guard digits.allSatisfy({ Lexer.isWord($0) }),
      let value = UInt16(String(decoding: digits, as: UTF8.self), radix: radix),
      !isBytes || value <= 0xFF
    else { return nil }
    units.append(code: value)
    return offset + count
  }
}

/// Collects a literal's content; escaped UTF-16 surrogates of strings are joined.
private struct LiteralUnits {
  let isBytes: Bool
  private var content: [UInt8] = []
  private var escaped: [UInt16] = []

  init(isBytes: Bool) { self.isBytes = isBytes }

  mutating func append(raw byte: UInt8) {
    flush()
    content.append(byte)
  }

  mutating func append(code: UInt16) {
    if isBytes { content.append(UInt8(truncatingIfNeeded: code)) } else { escaped.append(code) }
  }

  mutating func finish() -> [UInt8] {
    flush()
    return content
  }

  private mutating func flush() {
    guard !escaped.isEmpty else { return }
    content.append(contentsOf: String(decoding: escaped, as: UTF16.self).utf8)
    escaped.removeAll()
  }
}
