import Dispatch
import Synchronization

/// Tracks which of the durable commits have also been published.
///
/// A batch is in flight from before its first version until the observer has received it. The
/// batches follow one another; any thread may wait.
final class CommitPublication: Sendable {
  private struct State {
    var begun: UInt64 = 0
    var ended: UInt64 = 0
    /// The callers that wait for that many batches to have ended.
    var waiting: [(batches: UInt64, done: DispatchSemaphore)] = []
  }

  private let state = Mutex(State())

  /// A batch is about to take versions.
  func begin() { state.withLock { $0.begun += 1 } }

  /// The batch was published, or has failed.
  func end() {
    let done = state.withLock { state in
      state.ended = state.begun
      defer { state.waiting.removeAll { $0.batches <= state.ended } }
      return state.waiting.filter { $0.batches <= state.ended }.map(\.done)
    }
    for waiting in done { waiting.signal() }
  }

  /// Returns when every batch in flight has ended.
  func wait() {
    let done = state.withLock { state -> DispatchSemaphore? in
      guard state.ended < state.begun else { return nil }
      let done = DispatchSemaphore(value: 0)
      state.waiting.append((state.begun, done))
      return done
    }
    done?.wait()
  }
}
