import KeyValueStore
import Synchronization

/// Whether an engine runs, has stopped after a failed write, or is closed.
///
/// Any thread may call.
final class EngineCondition: Sendable {
  private enum State: Sendable {
    case running
    case stopped(KeyValueError)
    case closed
  }

  private let state = Mutex(State.running)

  /// Throws unless the engine may be read: a stopped one may.
  func checkOpen() throws {
    guard case .closed = state.withLock({ $0 }) else { return }
    throw KeyValueError(.closed, "the storage engine was closed")
  }

  /// Throws unless the engine may write.
  func checkRunning() throws {
    switch state.withLock({ $0 }) {
    case .running: return
    case .closed: try checkOpen()
    case .stopped(let cause):
      throw KeyValueError(
        .stopped,
        "storage stopped after a failed write; restart to recover (\(cause.message))",
        metadata: cause.metadata
      )
    }
  }

  /// Runs a write; a failure stops the engine for good.
  func stoppingOnFailure(_ write: () throws(KeyValueError) -> Void) throws(KeyValueError) {
    do {
      try write()
    } catch {
      state.withLock { state in
        if case .running = state { state = .stopped(error) }
      }
      throw error
    }
  }

  /// False when it was closed already.
  func close() -> Bool {
    state.withLock { state in
      if case .closed = state { return false }
      state = .closed
      return true
    }
  }
}
