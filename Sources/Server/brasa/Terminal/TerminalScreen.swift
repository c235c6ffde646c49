import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The whole terminal, drawn line by line; what was on it comes back at the end.
struct TerminalScreen: Sendable {
  /// True if standard output is a terminal that understands this.
  static var isUsable: Bool {
    isatty(STDOUT_FILENO) == 1 && ProcessInfo.processInfo.environment["TERM"] != "dumb"
  }

  /// Takes the screen: another one is shown, without a cursor.
  init() { Self.write("\u{1B}[?1049h\u{1B}[?25l\u{1B}[2J") }

  /// Gives the screen back.
  func close() { Self.write("\u{1B}[?25h\u{1B}[?1049l") }

  /// Shows these lines from the top, each with its styles, and nothing below them.
  func draw(_ lines: [String]) {
    // Each line is overwritten, not erased first, so that nothing flickers.
    let text = lines.map { $0 + "\u{1B}[K" }.joined(separator: "\r\n")
    Self.write("\u{1B}[H" + text + "\u{1B}[J")
  }

  /// Returns the current size of the terminal.
  static func size() -> (rows: Int, columns: Int) {
    var size = winsize()
    guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0
    else { return (24, 80) }
    return (Int(size.ws_row), Int(size.ws_col))
  }

  private static func write(_ text: String) { FileHandle.standardOutput.write(Data(text.utf8)) }
}
