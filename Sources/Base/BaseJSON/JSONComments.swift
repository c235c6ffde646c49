extension JSONValue {
  /// The text of a JSON file that people write, with spaces in place of its comments and of a byte order mark.
  ///
  /// `firebase init` writes files with comments. `//` and `/*` inside a string begin none. Lines and columns stay as they are, so that
  /// errors name the file's own. A comment that does not end stays, for the parser to refuse.
  package static func withoutComments(_ text: String) -> String {
    var text = Array(text.utf8)
    if text.starts(with: [0xEF, 0xBB, 0xBF]) { blank(0..<3, of: &text) }
    var position = 0
    while position < text.count {
      switch text[position] {
      case UInt8(ascii: "\""): position = endOfString(in: text, from: position)
      case UInt8(ascii: "/"):
        guard let end = endOfComment(in: text, from: position) else {
          position += 1
          continue
        }
        blank(position..<end, of: &text)
        position = end
      default: position += 1
      }
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// The place behind a string that begins there.
  private static func endOfString(in text: [UInt8], from start: Int) -> Int {
    var position = start + 1
    while position < text.count {
      switch text[position] {
      case UInt8(ascii: "\""): return position + 1
      case UInt8(ascii: "\\"): position += 2
      default: position += 1
      }
    }
    return text.count
  }

  /// The place behind a comment that begins there; nil where none does, or it does not end.
  private static func endOfComment(in text: [UInt8], from start: Int) -> Int? {
    guard start + 1 < text.count else { return nil }
    let body = start + 2
    switch text[start + 1] {
    case UInt8(ascii: "/"):
      return text[body...].firstIndex { $0 == UInt8(ascii: "\n") } ?? text.count
    case UInt8(ascii: "*"):
      return text[body...].firstRange(of: Array("*/".utf8))?.upperBound
    default: return nil
    }
  }

  private static func blank(_ range: Range<Int>, of text: inout [UInt8]) {
    for position in range where text[position] != UInt8(ascii: "\n") {
      text[position] = UInt8(ascii: " ")
    }
  }
}
