import Foundation
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The lock on a file that says that the process runs which made it; the system releases it with the process.
final class RestoreLock: Sendable {
  private let descriptor = Mutex<CInt?>(nil)

  init() {}

  deinit {
    if let descriptor = descriptor.withLock({ $0 }) { close(descriptor) }
  }

  /// Makes the file, which is locked when it gets its name.
  func make(_ path: String) throws {
    let unnamed = path + ".new"
    guard try open(unnamed, O_CREAT) else {
      throw CommandFailure("Another process has \(unnamed) locked.")
    }
    guard rename(unnamed, path) == 0 else { throw Self.failure(path) }
  }

  /// Locks a file; false where another process has it locked.
  ///
  /// - Parameter isMade: True to make the file where there is none.
  func take(_ path: String, isMade: Bool = false) throws -> Bool {
    try open(path, isMade ? O_CREAT : 0)
  }

  private func open(_ path: String, _ flags: CInt) throws -> Bool {
    let opened = systemOpen(path, flags)
    guard opened >= 0 else { throw Self.failure(path) }
    guard flock(opened, LOCK_EX | LOCK_NB) == 0 else {
      let isTaken = errno == EWOULDBLOCK
      close(opened)
      if isTaken { return false }
      throw Self.failure(path)
    }
    descriptor.withLock { $0 = opened }
    return true
  }

  private static func failure(_ path: String) -> CommandFailure {
    CommandFailure("\(path) can't be locked: \(String(cString: strerror(errno))).")
  }
}

/// The system's call, which the lock's own name would hide.
private func systemOpen(_ path: String, _ flags: CInt) -> CInt {
  open(path, O_RDWR | O_CLOEXEC | flags, 0o600)
}
