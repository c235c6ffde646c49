import BaseJSON
import Synchronization

/// One line that a function wrote, or the host wrote about it.
package struct FunctionLogEntry: Sendable, Hashable, Codable {
  /// Counts the entries of a server.
  package let sequence: Int
  /// Seconds since 1970.
  package let time: Double
  /// The function's name.
  package let function: String
  /// Google's severities: DEBUG, INFO, WARNING, ERROR, ….
  package let severity: String
  /// The call during which it was written, where the framework says so.
  package let execution: String?
  /// The text, without secrets.
  package let message: String
}

/// The last lines of each function, bounded in bytes, which files keep over restarts.
///
/// Any thread may call; nothing blocks.
package final class FunctionLogs: Sendable {
  /// The most bytes that are kept of one function.
  package static let bytesPerFunction = 256 << 10
  /// The longest line; the rest of it is dropped.
  package static let longestLine = 16 << 10
  /// The most bytes that are kept of all functions.
  package static let mostBytes = 32 << 20

  /// Names a function among those of all projects.
  package struct Key: Sendable, Hashable {
    let project: String
    let function: String

    /// A function of a project.
    package init(project: String, function: String) {
      self.project = project
      self.function = function
    }
  }

  private struct Ring {
    var entries: [FunctionLogEntry] = []
    var first = 0
    var bytes = 0

    mutating func append(_ entry: FunctionLogEntry) -> Int {
      let before = bytes
      entries.append(entry)
      bytes += Self.cost(entry)
      while bytes > FunctionLogs.bytesPerFunction, first < entries.count - 1 {
        bytes -= Self.cost(entries[first])
        first += 1
      }
      if first > 1_024 {
        entries.removeFirst(first)
        first = 0
      }
      return bytes - before
    }

    static func cost(_ entry: FunctionLogEntry) -> Int {
      entry.message.utf8.count + (entry.execution?.utf8.count ?? 0) + 96
    }
  }

  private struct State {
    var rings: [Key: Ring] = [:]
    var bytes = 0
    var sequence = 0

    /// Forgets the largest functions until the rest has room.
    mutating func shrink() {
      while bytes > FunctionLogs.mostBytes,
        let largest = rings.max(by: { $0.value.bytes < $1.value.bytes })
      {
        bytes -= largest.value.bytes
        rings[largest.key] = nil
      }
    }
  }

  private let state = Mutex(State())
  private let now: @Sendable () -> Double
  private let files: FunctionLogFiles?

  /// Logs whose entries have the times of that clock, in seconds since 1970, behind those that files have.
  ///
  /// Blocks where there are files.
  package init(_ files: FunctionLogFiles? = nil, now: @escaping @Sendable () -> Double) {
    self.now = now
    self.files = files
    for (key, entries) in files?.read() ?? [] {
      state.withLock { state in
        for entry in entries {
          state.sequence = max(state.sequence, entry.sequence)
          state.bytes += state.rings[key, default: Ring()].append(entry)
        }
        state.shrink()
      }
    }
  }

  /// Returns when every line is in its file.
  ///
  /// Blocks.
  package func flush() { files?.flush() }

  /// Keeps a line.
  package func append(_ key: Key, severity: String, execution: String? = nil, _ message: String) {
    let time = now()
    state.withLock { state in
      state.sequence += 1
      let entry = FunctionLogEntry(
        sequence: state.sequence,
        time: time,
        function: key.function,
        severity: severity,
        execution: execution,
        message: message
      )
      state.bytes += state.rings[key, default: Ring()].append(entry)
      state.shrink()
      // Within the lock: a file has a function's lines in their order.
      files?.append(key, entry)
    }
  }

  /// The sequence number of the last entry of all projects; 0 before the first.
  package var last: Int { state.withLock { $0.sequence } }

  /// The entries of a project behind a sequence number, in their order; of one function where one is named.
  package func entries(
    of project: String,
    function: String?,
    after sequence: Int,
    containing text: String? = nil
  ) -> [FunctionLogEntry] {
    let found = state.withLock { state in
      state.rings.filter {
        $0.key.project == project && (function == nil || $0.key.function == function)
      }
      .flatMap { $0.value.entries[$0.value.first...] }
    }
    return found.filter { entry in
      entry.sequence > sequence && (text.map { entry.message.contains($0) } ?? true)
    }
    .sorted { $0.sequence < $1.sequence }
  }
}
