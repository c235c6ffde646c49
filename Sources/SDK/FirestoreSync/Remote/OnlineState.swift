/// The client's belief about its connection to the server.
package enum OnlineState: Sendable, Hashable {
  /// Unknown yet: a first attempt is in progress.
  case unknown
  case online
  /// The last attempt failed or took too long; listeners get the cache's results.
  case offline
}

/// Decides the online state from the watch stream's attempts.
struct OnlineStateTracker {
  /// The engine's response to an event.
  struct Change {
    var state: OnlineState
    var startsTimer = false
    var cancelsTimer = false
  }

  /// The time that a first attempt may take before the client counts as offline.
  static let timeout = Duration.seconds(10)
  private static let allowedFailures = 1

  private var state = OnlineState.unknown
  private var failures = 0
  private var isTimerRunning = false

  /// A watch stream begins to connect.
  mutating func streamStarted() -> Change {
    guard failures == 0 else { return Change(state: state) }
    state = .unknown
    let starts = !isTimerRunning
    isTimerRunning = true
    return Change(state: state, startsTimer: starts)
  }

  /// A watch stream ended with an error.
  mutating func streamFailed() -> Change {
    if state == .online {
      state = .unknown
      return Change(state: state)
    }
    failures += 1
    guard failures >= Self.allowedFailures else { return Change(state: state) }
    state = .offline
    return cancellingTimer()
  }

  /// The first attempt took too long.
  mutating func timedOut() -> Change {
    guard isTimerRunning else { return Change(state: state) }
    isTimerRunning = false
    state = .offline
    return Change(state: state)
  }

  /// The state is known for another reason.
  mutating func set(_ newState: OnlineState) -> Change {
    state = newState
    failures = 0
    return cancellingTimer()
  }

  private mutating func cancellingTimer() -> Change {
    let cancels = isTimerRunning
    isTimerRunning = false
    return Change(state: state, cancelsTimer: cancels)
  }
}
