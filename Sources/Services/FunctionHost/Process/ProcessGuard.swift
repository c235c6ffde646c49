import CLauncher

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A process beside this one that ends the groups of programs when this one has gone, however it went.
///
/// The kernel's own signal (`PR_SET_PDEATHSIG`) reaches the first process of a program alone, and not what that has started.
/// On systems other than Linux the guard does nothing.
final class ProcessGuard: Sendable {
  private let descriptor: Int32

  /// Starts the process.
  init() { descriptor = brasa_guard_start() }

  /// Ends the groups that are watched still.
  deinit { if descriptor >= 0 { close(descriptor) } }

  /// Has a group end with this process.
  func watch(_ group: pid_t) { brasa_guard_watch(descriptor, group, 1) }

  /// Forgets a group, whose number may be another one's soon.
  func forget(_ group: pid_t) { brasa_guard_watch(descriptor, group, 0) }
}
