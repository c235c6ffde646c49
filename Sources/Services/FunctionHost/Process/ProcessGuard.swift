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
  private struct News {
    let group: pid_t
    let isWatched: Bool
  }

  private struct Running {
    let process: pid_t
    /// The descriptor by which it is told.
    let descriptor: Int32
  }

  private struct State {
    var running: Running?
    var groups: Set<pid_t> = []
    /// The news that it has had no room for yet, in their order.
    var untold: [News] = []
    /// A guard that ends again and again is not started for ever.
    var startsLeft = 100
  }

  private let state = Mutex(State())

  /// Ends the groups that are watched still, and the guard.
  deinit {
    state.withLock { state in
      for group in state.groups { kill(-group, SIGKILL) }
      if let running = state.running { Self.end(running) }
    }
  }

  /// The process of the guard; nil where none runs.
  var process: pid_t? { state.withLock { $0.running?.process } }

  /// Has a group end with this process.
  func watch(_ group: pid_t) {
    state.withLock { state in
      state.groups.insert(group)
      if state.running == nil {
        Self.start(&state)
      } else {
        state.untold.append(News(group: group, isWatched: true))
      }
      Self.tell(&state)
    }
  }

  /// Forgets a group, whose number may be another one's soon.
  func forget(_ group: pid_t) {
    state.withLock { state in
      state.groups.remove(group)
      guard state.running != nil else { return }
      state.untold.append(News(group: group, isWatched: false))
      Self.tell(&state)
    }
  }

  /// Leaves the guard alone, as the end of this process would; returns its process, which the caller waits for.
  func abandon() -> pid_t? {
    state.withLock { state in
      let running = state.running
      if let running { close(running.descriptor) }
      state = State()
      return running?.process
    }
  }

  /// True if the guard has had no room for all news yet.
  var isBehind: Bool { state.withLock { !$0.untold.isEmpty } }

  /// Tells the guard what it had no room for.
  func tellRest() { state.withLock { if !$0.untold.isEmpty { Self.tell(&$0) } } }

  private static func start(_ state: inout State) {
    state.untold = []
    guard state.startsLeft > 0 else { return }
    state.startsLeft -= 1
    var descriptor: Int32 = -1
    let process = brasa_guard_start(&descriptor)
    guard process > 0 else { return }
    state.running = Running(process: process, descriptor: descriptor)
    state.untold = state.groups.map { News(group: $0, isWatched: true) }
  }

  private static func tell(_ state: inout State) {
    while let running = state.running {
      var result: Int32 = 0
      let told = state.untold.prefix { news in
        result = brasa_guard_tell(running.descriptor, news.group, news.isWatched ? 1 : 0)
        return result == 0
      }
      state.untold.removeFirst(told.count)
      guard result < 0 else { return }
      end(running)
      state.running = nil
      start(&state)
    }
  }

  /// Takes the exit status of a guard that reads no more.
  private static func end(_ guarding: Running) {
    // Without this it could take the closing for the end of this process.
    kill(guarding.process, SIGKILL)
    close(guarding.descriptor)
    while waitpid(guarding.process, nil, 0) < 0, errno == EINTR {}
  }
}
