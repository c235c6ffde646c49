import Foundation

// A report of a process that a signal ended: 16 bytes in a file that is empty otherwise, the signal's number and the
// time in seconds since 1970, both as little-endian 64-bit numbers. A shorter or longer file says nothing.

/// The way in which an earlier process of the app ended.
package struct CrashReport: Sendable, Hashable {
  /// The signal.
  package var signal: Int64
  /// The time of the crash: microseconds since 1970.
  package var timeMicros: Int64

  /// A report of a signal.
  package init(signal: Int64, timeMicros: Int64) {
    (self.signal, self.timeMicros) = (signal, timeMicros)
  }

  /// Reads a report's bytes.
  init?(_ bytes: Data) {
    guard bytes.count == CrashReport.size else { return nil }
    let numbers = bytes.withUnsafeBytes { buffer in
      (0..<2).map {
        Int64(littleEndian: buffer.loadUnaligned(fromByteOffset: 8 * $0, as: Int64.self))
      }
    }
    let (micros, overflow) = numbers[1].multipliedReportingOverflow(by: 1_000_000)
    guard numbers[0] > 0, micros > 0, !overflow else { return nil }
    self.init(signal: numbers[0], timeMicros: micros)
  }

  static let size = 16

  /// The parameters of the event at the next start.
  var params: [String: EventValue] {
    [
      "fatal": .int(1), "timestamp": .int(timeMicros / 1_000),
      "exception": .string(Self.names[signal] ?? "signal \(signal)"),
    ]
  }

  private static let names: [Int64: String] = [
    4: "SIGILL", 5: "SIGTRAP", 6: "SIGABRT", 8: "SIGFPE", 11: "SIGSEGV",
  ]
}
