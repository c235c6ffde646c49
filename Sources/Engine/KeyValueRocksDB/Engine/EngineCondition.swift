import KeyValueStore
import Synchronization

/// The condition of an engine: it runs, has stopped after a failed write, or is closed.
///
/// A stopped engine runs again only after its files were read again: by a restart, or, after a lack
/// of descriptors or disk space, by `EngineRecovery`. Such a failure says nothing against earlier
/// synced data: no other write or sync failed before it, or that one would have stopped the engine.
///
/// Any thread may call.
final class EngineCondition: Sendable {
  private enum State: Sendable {
    case running
    case stopped(KeyValueError)
    case closed
  }

  private let state: Mutex<State>
  /// The closed state of `state`, for every read to look at.
  private let isClosed = Atomic(false)

  private let stops: Atomic<Int>

  /// The condition of an engine that runs, or of one that begins stopped, with the reason.
  init(stoppedBy cause: KeyValueError? = nil) {
    state = Mutex(cause.map(State.stopped) ?? .running)
    stops = Atomic(cause == nil ? 0 : 1)
  }

  /// The number of times that the engine has stopped.
  var stopCount: Int { stops.load(ordering: .relaxed) }

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
      throw Self.refusal(cause)
    }
  }

  private static func refusal(_ cause: KeyValueError) -> KeyValueError {
    let text =
      if cause.isWantOfDescriptors {
        "writes have stopped until files can be opened again"
      } else if cause.isWantOfRoom {
        "writes have stopped until the disk has free space again"
      } else {
        "the store stopped after a failed write. Restart the server to recover"
      }
    return KeyValueError(.stopped, "\(text) (\(cause.message))", metadata: cause.metadata)
  }

  /// True if the engine writes no more, until it has recovered or for good.
  var isStopped: Bool {
    if case .stopped = state.withLock({ $0 }) { true } else { false }
  }

  /// True if the engine has stopped for a reason that can pass while the process runs.
  var mayRecover: Bool {
    guard case .stopped(let cause) = state.withLock({ $0 }) else { return false }
    return cause.isWantOfDescriptors || cause.isWantOfRoom
  }

  /// The files were read again, and hold the acknowledged data.
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
      stop(error)
      throw error
    }
  }

  /// The engine writes no more.
  func stop(_ cause: KeyValueError) {
    state.withLock { state in
      guard case .running = state else { return }
      state = .stopped(cause)
      stops.add(1, ordering: .relaxed)
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
