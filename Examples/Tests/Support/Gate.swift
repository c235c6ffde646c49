import Synchronization

/// Holds whoever comes until the test opens it.
package final class Gate: Sendable {
  private struct State {
    var isOpen = false
    var waiting: [CheckedContinuation<Void, Never>] = []
    var watchers: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Mutex(State())

  package init() {}

  package func wait() async {
    await withCheckedContinuation { (wake: CheckedContinuation<Void, Never>) in
      let resumed = state.withLock { state -> [CheckedContinuation<Void, Never>] in
        guard !state.isOpen else { return [wake] }
        state.waiting.append(wake)
        defer { state.watchers = [] }
        return state.watchers
      }
      for continuation in resumed { continuation.resume() }
    }
  }

  /// Returns when somebody waits, or has waited.
  package func waitForWaiter() async {
    await withCheckedContinuation { (wake: CheckedContinuation<Void, Never>) in
      let isThere = state.withLock { state in
        guard state.waiting.isEmpty, !state.isOpen else { return true }
        state.watchers.append(wake)
        return false
      }
      if isThere { wake.resume() }
    }
  }

  package func open() {
    let waiting = state.withLock { state in
      state.isOpen = true
      defer { state.waiting = [] }
      return state.waiting
    }
    for continuation in waiting { continuation.resume() }
  }
}
