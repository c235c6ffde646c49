/// The number of one connection of a stream; a driver's events of an earlier one are ignored.
package typealias StreamID = Int

/// The client's side of the watch or the write stream's life.
///
/// `idle` is not started; `start` leads to `opening`, the server's response to `open`, and an error through `failed`
/// to `waiting` for the back-off timer at the next start.
struct StreamConnection {
  enum State {
    case idle
    case opening
    case open
    case failed
    case waiting
  }

  /// The timers that the stream uses.
  let timers: (idle: SyncTimer, backoff: SyncTimer, health: SyncTimer)
  var state = State.idle
  /// The newest connection.
  var id: StreamID = 0
  var backoff = Backoff()
  /// True if the connection has been open for some time, so that refused credentials were good
  /// once.
  var isHealthy = false
  var isIdleTimerRunning = false

  init(idle: SyncTimer, backoff: SyncTimer, health: SyncTimer) {
    timers = (idle, backoff, health)
  }

  var isStarted: Bool {
    switch state {
    case .opening, .open, .waiting: true
    case .idle, .failed: false
    }
  }

  var isOpen: Bool { state == .open }

  /// True if there is a connection that the server or the network can close.
  var isConnected: Bool { state == .opening || state == .open }
}
