import CLauncher
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A process beside this one that ends the groups of programs when this one has gone, however it went.
///
/// The kernel's own signal (`PR_SET_PDEATHSIG`) reaches the first process of a program alone, and not what that has started.
/// The guard starts with the first group. On systems other than Linux, and where there is no `/bin/sh`, it does nothing.
final class ProcessGuard: Sendable {
  /// The descriptor by which the guard is told; nil before its start.
  private let descriptor = Mutex<Int32?>(nil)

  /// Ends the groups that are watched still.
  deinit {
    let descriptor = descriptor.withLock { $0 }
    if let descriptor, descriptor >= 0 { close(descriptor) }
  }

  /// Has a group end with this process.
  func watch(_ group: pid_t) {
    descriptor.withLock { descriptor in
      let started = descriptor ?? brasa_guard_start()
      descriptor = started
      brasa_guard_watch(started, group, 1)
    }
  }

  /// Forgets a group, whose number may be another one's soon.
  func forget(_ group: pid_t) {
    descriptor.withLock { descriptor in
      if let descriptor { brasa_guard_watch(descriptor, group, 0) }
    }
  }
}
