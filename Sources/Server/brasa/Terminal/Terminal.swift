import BaseText
import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The one way by which commands print.
///
/// Lines hold names that clients chose, so none reaches a terminal as it came.
enum Terminal {
  /// Prints a line on standard output.
  static func print(_ line: String) { Swift.print(TerminalText.line(line)) }

  /// Prints a line of JSON on standard output, which means the same to programs.
  static func print(json line: String) { Swift.print(TerminalText.json(line)) }

  /// Prints a line on standard error.
  static func note(_ line: String) {
    FileHandle.standardError.write(Data((TerminalText.line(line) + "\n").utf8))
  }

  /// Writes a file's text on standard output: byte for byte, unless a terminal shows it.
  static func write(_ text: String) { write(Array(text.utf8)) }

  /// Writes a part of a file on standard output: byte for byte, unless a terminal shows it.
  static func write(_ bytes: [UInt8]) {
    guard isatty(STDOUT_FILENO) == 1 else { return FileHandle.standardOutput.write(Data(bytes)) }
    let shown = TerminalText.lines(String(decoding: bytes, as: UTF8.self))
    FileHandle.standardOutput.write(Data(shown.utf8))
  }
}
