import BaseText

/// Reads the literal segments of paths, which have a lexical grammar of their own.
///
/// A segment is letters, digits and `- _ . : ~ * ' %` and balanced parentheses, percent-decoded, so
/// that `(default)` needs no quotes while the parenthesis that closes a call ends the path.
struct PathLexer: Sendable {
  let bytes: [UInt8]

  /// The segment that begins at `offset`, and the offset behind it.
  func segment(at offset: Int) throws(RulesIssue) -> (text: Text, end: Int) {
    var end = offset
    var depth = 0
    while end < bytes.count {
      let byte = bytes[end]
      if byte == UInt8(ascii: "(") {
        depth += 1
      } else if byte == UInt8(ascii: ")") {
        if depth == 0 { break }
        depth -= 1
      } else if !Self.isSegmentByte(byte) {
        break
      }
      end += 1
    }
    guard end > offset, depth == 0 else {
      throw .error(
        "Forward slash '/' found where identifier or binding expected.",
        at: offset..<end
      )
    }
    return (Text(try decode(offset..<end)), end)
  }

  private func decode(_ range: Range<Int>) throws(RulesIssue) -> String {
    var decoded: [UInt8] = []
    var index = range.lowerBound
    while index < range.upperBound {
      guard bytes[index] == UInt8(ascii: "%") else {
        decoded.append(bytes[index])
        index += 1
        continue
      }
      guard index + 2 < range.upperBound,
        let value = UInt8(
          String(decoding: bytes[(index + 1)...(index + 2)], as: UTF8.self),
          radix: 16
        )
      else { throw .error("Invalid percent-encoding in a path.", at: index..<(index + 1)) }
      decoded.append(value)
      index += 3
    }
    guard let text = String(validating: decoded, as: UTF8.self) else {
      throw .error("A path segment is not valid UTF-8.", at: range)
    }
    return text
  }

  /// Returns true if the byte is allowed in a segment outside parentheses.
  static func isSegmentByte(_ byte: UInt8) -> Bool {
    if Lexer.isWord(byte) { return byte != UInt8(ascii: "$") }
    return byte >= 0x80 || "-.:~*'%".utf8.contains(byte)
  }
}
