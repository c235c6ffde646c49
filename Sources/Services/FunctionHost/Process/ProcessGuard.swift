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
/// The guard starts with the first group, and again where it has gone itself. On systems other than Linux, and where there
/// is no `/bin/sh`, it does nothing.
final class ProcessGuard: Sendable {
  private struct State {
    /// The descriptor by which the guard is told; nil where none runs.
    var descriptor: Int32?
    var groups: Set<pid_t> = []
  }

  private let state = Mutex(State())

  /// Ends the groups that are watched still.
  deinit {
    if let descriptor = state.withLock({ $0.descriptor }) { close(descriptor) }
  }

  /// Has a group end with this process.
  func watch(_ group: pid_t) {
    state.withLock { state in
      state.groups.insert(group)
      if let descriptor = state.descriptor {
        if brasa_guard_tell(descriptor, group, 1) == 0 { return }
        close(descriptor)
      }
      let descriptor = brasa_guard_start()
      state.descriptor = descriptor >= 0 ? descriptor : nil
      guard descriptor >= 0 else { return }
      for group in state.groups { _ = brasa_guard_tell(descriptor, group, 1) }
    }
  }

  /// Forgets a group, whose number may be another one's soon.
  func forget(_ group: pid_t) {
    state.withLock { state in
      state.groups.remove(group)
      if let descriptor = state.descriptor { _ = brasa_guard_tell(descriptor, group, 0) }
    }
  }
}
