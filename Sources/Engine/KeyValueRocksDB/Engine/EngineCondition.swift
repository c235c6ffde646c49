import KeyValueStore
import Synchronization

/// Whether an engine runs, has stopped after a failed write, or is closed.
///
/// A stopped engine runs again only when its files were read anew: by a restart, or, where the failure
/// was that no file could be opened, by `EngineRecovery`. Such a failure says nothing against the disk:
/// no write or sync that failed came before it, or that one would have stopped the engine.
///
/// Any thread may call.
final class EngineCondition: Sendable {
  private enum State: Sendable {
    case running
    case stopped(KeyValueError)
    case closed
  }

  private let state = Mutex(State.running)
  /// What `state` says of it, for every read to look at.
  private let isClosed = Atomic(false)

  /// Throws unless the engine may be read: a stopped one may.
  func checkOpen() throws {
    guard isClosed.load(ordering: .acquiring) else { return }
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
        cause.isWantOfDescriptors
          ? "storage has stopped until files can be opened again (\(cause.message))"
          : "storage stopped after a failed write; restart to recover (\(cause.message))",
        metadata: cause.metadata
      )
    }
  }

  /// Whether the engine writes no more, until it has recovered or for good.
  var isStopped: Bool {
    if case .stopped = state.withLock({ $0 }) { true } else { false }
  }

  /// Whether the engine has stopped for a reason that can pass while the process runs.
  var mayRecover: Bool {
    guard case .stopped(let cause) = state.withLock({ $0 }) else { return false }
    return cause.isWantOfDescriptors
  }

  /// The files were read anew, and hold what was acknowledged.
  func recovered() {
    state.withLock { state in
      if case .stopped = state { state = .running }
    }
  }

  /// A recovery failed: that is the reason from now on.
  func recoveryFailed(_ cause: KeyValueError) {
    state.withLock { state in
      if case .stopped = state { state = .stopped(cause) }
    }
  }

  /// Runs a write; a failure stops the engine.
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
      isClosed.store(true, ordering: .releasing)
      return true
    }
  }
}
