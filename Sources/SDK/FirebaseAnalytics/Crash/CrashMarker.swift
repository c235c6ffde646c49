import Foundation
import Locking

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Notes in a file that a signal ends the process, so that the next start can tell.
///
/// The handler calls nothing but `write`, `time`, `sigaction` and `raise`, all of which signals
/// allow, and passes the signal on to the handler before it.
package final class CrashMarker: Sendable {
  /// The process's only one.
  package static let shared = CrashMarker()

  private let isArmed = Lock(false)

  /// Returns the last process's record in the file, and prepares the record of this one's end
  /// there.
  ///
  /// Only the first file of a process is used: a process ends once.
  package func arm(_ url: URL) -> CrashReport? {
    isArmed.withLock { isArmed in
      guard !isArmed else { return nil }
      isArmed = true
      do {
        let file = try LogFile(url.appendingPathExtension("signal"))
        let report = CrashReport(try file.read(from: 0))
        try file.truncate(to: 0)
        SignalHandler.install(writingTo: file)
        return report
      } catch {
        EventRules.log("Crashes can't be recorded: \(error)")
        return nil
      }
    }
  }
}

/// The state that the handler of signals needs, in memory that lasts as long as the process.
private enum SignalHandler {
  private static let signals = [SIGILL, SIGTRAP, SIGABRT, SIGFPE, SIGSEGV, SIGBUS]
  private static let tableSize = 64

  /// The handlers before, by signal.
  ///
  /// Unsafe: written once, before the handler is installed, and only read after that.
  nonisolated(unsafe) private static let previous =
    UnsafeMutablePointer<sigaction>.allocate(capacity: tableSize)
  /// The file's descriptor, and the report's two numbers.
  ///
  /// Unsafe as above; the numbers are written by the process's last act.
  nonisolated(unsafe) private static let descriptor = UnsafeMutablePointer<Int32>.allocate(
    capacity: 1
  )
  nonisolated(unsafe) private static let report = UnsafeMutablePointer<Int64>.allocate(capacity: 2)

  static func install(writingTo file: LogFile) {
    descriptor.initialize(to: file.duplicate())
    report.initialize(repeating: 0, count: 2)
    previous.initialize(repeating: sigaction(), count: tableSize)
    for signal in signals {
      var action = sigaction()
      #if canImport(Darwin)
      action.__sigaction_u.__sa_handler = handle
      #else
      action.__sigaction_handler.sa_handler = handle
      #endif
      // On a stack of its own where the thread has one: a stack that overflowed is a reason to be here.
      action.sa_flags = Int32(SA_ONSTACK)
      _ = sigaction(signal, &action, previous + Int(signal))
    }
  }

  private static let handle: @convention(c) (Int32) -> Void = { signal in
    report[0] = Int64(signal).littleEndian
    report[1] = Int64(time(nil)).littleEndian
    _ = write(descriptor[0], report, CrashReport.size)
    _ = sigaction(signal, previous + Int(signal), nil)
    _ = raise(signal)
  }
}
