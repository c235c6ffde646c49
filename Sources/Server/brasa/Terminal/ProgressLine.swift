import Foundation

#if canImport(Glibc)
import Glibc
#endif

/// A line on standard error that shows the progress of long work; silent without a terminal.
final class ProgressLine {
  private let isTerminal: Bool
  private let printed: (String) -> Void
  private let started = ContinuousClock.now
  private var lastShown: ContinuousClock.Instant?
  private var isOpen = false

  /// A line of a command.
  init() {
    isTerminal = isatty(STDERR_FILENO) == 1
    printed = { Terminal.print($0) }
  }

  /// No line, where a server works; messages go to `log`.
  init(log: @escaping (String) -> Void) {
    isTerminal = false
    printed = log
  }

  /// Shows the state, ten times a second at most; `unit` is the name of one item.
  func show(done: Int, total: Int?, unit: String) {
    guard isTerminal else { return }
    let now = ContinuousClock.now
    if let lastShown, now - lastShown < .milliseconds(100) { return }
    lastShown = now
    isOpen = true
    write("\r\u{1B}[K" + Self.text(done: done, total: total, unit: unit, since: started, now: now))
  }

  /// Prints a line on standard output, below the bar's last state.
  func print(_ line: String) {
    if isOpen {
      write("\r\u{1B}[K")
      isOpen = false
    }
    printed(line)
  }

  private func write(_ text: String) {
    FileHandle.standardError.write(Data(text.utf8))
  }

  private static func text(
    done: Int,
    total: Int?,
    unit: String,
    since start: ContinuousClock.Instant,
    now: ContinuousClock.Instant
  ) -> String {
    let seconds = Double((now - start).components.seconds) + 0.001
    let rate = Int(Double(done) / seconds)
    guard let total, total > 0 else { return "\(done.counting(unit)), \(rate)/s" }
    let share = min(1, Double(done) / Double(total))
    let filled = Int(share * 30)
    let bar = String(repeating: "█", count: filled) + String(repeating: "░", count: 30 - filled)
    return "\(bar) \(Int(share * 100)) %  \(done) of \(total.counting(unit)), \(rate)/s"
  }
}
