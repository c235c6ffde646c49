import KeyValueStore

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// Ends a thread's wait for a descriptor.
///
/// Rung once. Any thread may call.
final class WakePipe: Sendable {
  private let reading: CInt
  private let writing: CInt

  init() throws {
    var ends: [CInt] = [0, 0]
    guard pipe(&ends) == 0 else {
      throw KeyValueError(.inputOutput, "no pipe: error \(errno)")
    }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    (reading, writing) = (ends[0], ends[1])
  }

  deinit {
    close(reading)
    close(writing)
  }

  /// Ends every wait, now and from now on.
  func ring() {
    var byte: UInt8 = 1
    _ = write(writing, &byte, 1)
  }

  /// Waits until there is something to read from a descriptor, until it is rung, or for so long.
  func wait(for descriptor: CInt, microseconds: Int) {
    var watched = [
      pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
      pollfd(fd: reading, events: Int16(POLLIN), revents: 0),
    ]
    _ = poll(&watched, 2, CInt(microseconds / 1_000))
  }
}
