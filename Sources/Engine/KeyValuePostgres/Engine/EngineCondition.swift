import KeyValueStore
import Synchronization

/// The condition of an engine: it runs, was succeeded by another, or is closed.
///
/// Any thread may call.
final class EngineCondition: Sendable {
  private enum State {
    /// The time is still to be taken over.
    case opening
    case running
    case succeeded
    case closed
  }

  private let state = Mutex(State.opening)
  private let sharing: PostgresConfiguration.Sharing

  init(_ sharing: PostgresConfiguration.Sharing) { self.sharing = sharing }

  /// Throws unless the engine may be used.
  func check() throws {
    switch state.withLock({ $0 }) {
    case .opening, .running: return
    case .succeeded: throw Self.succession
    case .closed: throw KeyValueError(.closed, "the storage engine was closed")
    }
  }

  /// The engine holds the time from now on.
  func opened() {
    state.withLock { if $0 == .opening { $0 = .running } }
  }

  /// Another engine holds the time.
  ///
  /// An engine that shares it takes it back; a single one stops for good, since its memory may be
  /// out of date.
  func timeIsAnothers() throws {
    try state.withLock { state in
      guard sharing == .exclusive, state == .running else { return }
      state = .succeeded
      throw Self.succession
    }
  }

  /// True if the engine has stopped for good.
  var isStopped: Bool { state.withLock { $0 == .succeeded } }

  /// False when it was closed already.
  func close() -> Bool {
    state.withLock { state in
      defer { state = .closed }
      return state != .closed
    }
  }

  private static let succession = KeyValueError(
    .stopped,
    "another node has taken over the store; this node has stopped. Restart it"
  )
}
