import KeyValueStore
import Synchronization

/// An engine whose next write begins, fails and is or is not in force, as after a failed sync of a log; later ones are
/// refused until it has recovered.
final class DoubtfulEngine: EngineWrapper {
  enum State {
    case well
    /// The next write fails.
    case failing(comesIntoForce: Bool)
    case stopped
  }

  let base: any KeyValueEngine
  let state = Mutex(State.well)
  /// The write that is to come into force at the next start.
  private let doubtful = Mutex<(@Sendable (any KeyValueGroup) throws -> Void)?>(nil)

  init(_ base: any KeyValueEngine) { self.base = base }

  func submit(_ write: QueuedWrite) {
    let state = state.withLock { state -> State in
      defer { if case .failing = state { state = .stopped } }
      return state
    }
    switch state {
    case .well: base.submit(write)
    case .stopped:
      refuse(write, KeyValueError(.stopped, "an earlier write failed"))
    case .failing(let comesIntoForce):
      if comesIntoForce { doubtful.withLock { $0 = write.body } }
      refuse(write, KeyValueError(.outcomeUnknown, "fdatasync: Input/output error"))
    }
  }

  /// Does what a start does: the write that failed comes into force, if it is to, and others are taken.
  func restart() throws {
    if let body = doubtful.withLock({ $0.take() }) { try base.write { try body($0) } }
    state.withLock { $0 = .well }
  }

  /// Runs the body and undoes it, so that its author sees what it would have done.
  private func refuse(_ write: QueuedWrite, _ error: KeyValueError) {
    base.submit(
      QueuedWrite(write.priority) { _ in
        throw error
      } completion: { outcome in
        write.completion(outcome)
      }
    )
  }
}
