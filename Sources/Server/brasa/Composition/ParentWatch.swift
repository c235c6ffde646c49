import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Ends this process when its parent has ended, which holds the other end of its standard input.
enum ParentWatch {
  /// Starts a thread that waits for the end of standard input.
  static func start() {
    let thread = Thread {
      var byte: UInt8 = 0
      while true {
        let count = read(STDIN_FILENO, &byte, 1)
        if count > 0 || (count < 0 && errno == EINTR) { continue }
        // At once: an orderly end would finish what it writes.
        _exit(EXIT_FAILURE)
      }
    }
    thread.name = "parent"
    thread.start()
  }
}
