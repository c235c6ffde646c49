#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// The wall clock that versions and read times follow: microseconds since the Unix epoch.
///
/// It may step back or stop; engines keep their own time from going backwards.
package struct MicrosecondClock: Sendable {
  private let read: @Sendable () -> Int64

  /// A clock that answers what `read` answers.
  package init(_ read: @escaping @Sendable () -> Int64) {
    self.read = read
  }

  package func now() -> Int64 {
    read()
  }

  /// The machine's clock.
  package static let system = MicrosecondClock {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000
  }
}
