import Synchronization

/// The newest lines of the server's log, in memory: so many at most, and none longer than so many bytes.
///
/// Any thread may append. A reader requests the lines after a number, and receives the number of
/// the first remaining one.
package final class LogRing: Sendable {
  /// A line with its number, which grows by one.
  package struct Line: Sendable, Equatable {
    /// The line's number, from 1 since the server started.
    package let number: Int
    /// The line without its newline; a longer one than the ring keeps is cut and ends in "…".
    package let text: String
  }

  private struct State {
    var lines: [String] = []
    /// The index of the oldest line once the ring is full.
    var start = 0
    /// Lines that ever came.
    var count = 0
  }

  private let state = Mutex(State())
  private let capacity: Int
  private let longest: Int

  /// A ring of so many lines of so many bytes.
  package init(capacity: Int = 1_000, longest: Int = 2_048) {
    self.capacity = capacity
    self.longest = longest
  }

  /// Adds a line, without the newline at its end.
  package func append(_ line: String) {
    var line = line
    if line.hasSuffix("\n") { line.removeLast() }
    if line.utf8.count > longest {
      line = String(decoding: line.utf8.prefix(longest), as: UTF8.self) + "…"
    }
    state.withLock { [line] state in
      if state.lines.count < capacity {
        state.lines.append(line)
      } else {
        state.lines[state.start] = line
        state.start = (state.start + 1) % capacity
      }
      state.count += 1
    }
  }

  /// The lines behind a number, the oldest first.
  package func lines(after number: Int) -> [Line] {
    state.withLock { state in
      let oldest = state.count - state.lines.count
      let first = min(max(number, oldest), state.count)
      return (first..<state.count).map { index in
        Line(
          number: index + 1,
          text: state.lines[(state.start + index - oldest) % state.lines.count]
        )
      }
    }
  }
}
