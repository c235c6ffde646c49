/// Texts as a terminal shows them without obeying them.
///
/// Names that clients chose (of files, users, topics) may contain commands for a terminal. Control
/// characters begin escape sequences, and some marks reverse the direction of a line, so that it
/// reads as another.
package enum TerminalText {
  /// The text on one line: line ends and what a terminal obeys become `\n` and `\u{1b}`.
  package static func line(_ text: String) -> String { escaped(text, isLine: true) }

  /// A line of JSON that means the same: what a terminal obeys becomes `\u001b`.
  package static func json(_ line: String) -> String {
    guard line.unicodeScalars.contains(where: { isCommand($0) }) else { return line }
    return line.unicodeScalars.reduce(into: "") { result, scalar in
      guard isCommand(scalar) else { return result.unicodeScalars.append(scalar) }
      let digits = String(scalar.value, radix: 16)
      result += "\\u" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }
  }

  /// The text with its line ends: what else a terminal obeys becomes `\u{1b}`.
  package static func lines(_ text: String) -> String { escaped(text, isLine: false) }

  /// True for a character that a terminal takes for a command, or that turns the line around.
  package static func isCommand(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0..<0x20, 0x7F..<0xA0: true
    case 0x061C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x206F, 0x2028, 0x2029: true
    default: false
    }
  }

  private static func escaped(_ text: String, isLine: Bool) -> String {
    guard text.unicodeScalars.contains(where: { isCommand($0) }) else { return text }
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\t": result += "\t"
      case "\n": result += isLine ? "\\n" : "\n"
      case "\r" where isLine: result += "\\r"
      case _ where isCommand(scalar): result += "\\u{\(String(scalar.value, radix: 16))}"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}
