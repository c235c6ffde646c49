/// A ruleset's source with the means to tell positions in it.
package struct SourceText: Sendable {
  /// A position for people: lines and columns count from 1, columns in UTF-8 bytes.
  package struct Position: Sendable, Hashable {
    /// The line, from 1.
    package let line: Int
    /// The byte of UTF-8 in its line, from 1.
    package let column: Int
  }

  /// The name that issues carry; `firestore.rules` by custom.
  package let fileName: String
  /// The source as UTF-8.
  package let bytes: [UInt8]
  private let lineStarts: [Int]

  /// Takes the source's text.
  package init(_ text: String, fileName: String = "firestore.rules") {
    self.fileName = fileName
    let bytes = Array(text.utf8)
    self.bytes = bytes
    lineStarts = [0] + bytes.indices.filter { bytes[$0] == 0x0A }.map { $0 + 1 }
  }

  /// Returns the position of an offset.
  package func position(of offset: Int) -> Position {
    var low = 0
    var high = lineStarts.count
    while high - low > 1 {
      let middle = (low + high) / 2
      if lineStarts[middle] <= offset { low = middle } else { high = middle }
    }
    return Position(line: low + 1, column: offset - lineStarts[low] + 1)
  }

  /// The text between two offsets.
  package func text(_ range: Range<Int>) -> String {
    String(decoding: bytes[range.clamped(to: 0..<bytes.count)], as: UTF8.self)
  }
}
