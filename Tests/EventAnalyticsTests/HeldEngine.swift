import BaseRuntime
import KeyValueStore
import Synchronization

/// An engine of which one group has run all its bodies and does not land before it is let go.
final class HeldEngine: EngineWrapper {
  private struct State {
    /// Writes that others than the test submitted.
    var submitted = 0
    /// The number of the write that ends the group that is held.
    var lastOfGroup = 0
    /// True if the group that is held has come to its end.
    var isAtEnd = false
    var isReleased = false
  }

  let base: any KeyValueEngine
  private let state = Mutex(State())
  private let changed = ThreadCondition()

  init(_ base: any KeyValueEngine) { self.base = base }

  func submit(_ write: QueuedWrite) {
    let isLast = state.withLock { $0.submitted + 1 == $0.lastOfGroup }
    base.submit(isLast ? held(write) : write)
    change { $0.submitted += 1 }
  }

  /// Makes one group of the next so many writes, and holds it.
  func holdGroup(of count: Int) {
    let last = state.withLock { state in
      state.lastOfGroup = state.submitted + count
      return state.lastOfGroup
    }
    // Those behind it wait for it together, and are the next group.
    let gathering = QueuedWrite(.interactive) { [self] _ in
      wait { $0.submitted >= last }
    } completion: { _ in
    }
    base.submit(gathering)
  }

  private func held(_ write: QueuedWrite) -> QueuedWrite {
    QueuedWrite(write.priority) { [self] group in
      try write.body(group)
      change { $0.isAtEnd = true }
      wait { $0.isReleased }
    } completion: {
      write.completion($0)
    }
  }

  func release() { change { $0.isReleased = true } }

  /// Returns once all bodies of the held group have run.
  func awaitHeld() { wait { $0.isAtEnd } }

  /// Returns once all writes of the group that is held but the last were submitted.
  func awaitAllButLast() { wait { $0.submitted >= $0.lastOfGroup - 1 } }

  /// Runs a body on a thread of its own; gives that thread once the body has submitted a write.
  func awaitWrite(of body: @escaping @Sendable () -> Void) -> StoreThread {
    let submitted = state.withLock { $0.submitted }
    let thread = StoreThread(body)
    wait { $0.submitted > submitted }
    return thread
  }

  private func change(_ body: (inout sending State) -> Void) {
    changed.withLock {
      state.withLock { body(&$0) }
      changed.broadcast()
    }
  }

  private func wait(for isTrue: (State) -> Bool) {
    changed.withLock { while !state.withLock({ isTrue($0) }) { changed.wait() } }
  }
}
