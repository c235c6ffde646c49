import Foundation
import Locking

/// The use of a cache's file by one client, or its removal.
///
/// Turns at a file have the order of their creation, which is that of the app's calls. A client
/// that wants to open or remove the file waits until the earlier ones have ended, if they were told
/// to. A client that was not asked to end is not waited for: the file's own lock keeps others out.
/// May be used from any thread.
final class CacheTurn: Sendable {
  private struct State {
    /// Those that had not ended when this one was made.
    var earlier: [CacheTurn]
    var isEnding = false
  }

  /// The number of seconds to wait for all clients before; a client that was asked to end takes its
  /// time if it has much to write.
  private static let greatestWait = 60.0
  /// The turns that have not ended, by their files' paths.
  private static let turns = Lock<[String: [CacheTurn]]>([:])

  private let path: String
  private let state: Lock<State>
  private let ended = DispatchSemaphore(value: 0)

  private init(_ path: String, after earlier: [CacheTurn]) {
    self.path = path
    state = Lock(State(earlier: earlier))
  }

  /// The next turn at a file.
  static func next(at file: URL) -> CacheTurn {
    let path = file.path
    return turns.withLock { turns in
      let turn = CacheTurn(path, after: turns[path] ?? [])
      turns[path, default: []].append(turn)
      return turn
    }
  }

  /// Says that the turn is about to end, so that the next one is worth waiting.
  func willEnd() { state.withLock { $0.isEnding = true } }

  /// Ends the turn: the file is closed, or gone.
  func end() {
    Self.turns.withLock { turns in
      turns[path]?.removeAll { $0 === self }
      if turns[path]?.isEmpty == true { turns[path] = nil }
    }
    _ = takeEarlier()
    ended.signal()
  }

  /// Waits until those before have ended; blocks the thread.
  func wait() {
    let deadline = DispatchTime.now() + Self.greatestWait
    for turn in takeEarlier() where turn.state.withLock({ $0.isEnding }) {
      // The next one that waits for it is let through too.
      if turn.ended.wait(timeout: deadline) == .success { turn.ended.signal() }
    }
  }

  /// Releases those before, which hold those before them.
  private func takeEarlier() -> [CacheTurn] {
    state.withLock { state in
      defer { state.earlier = [] }
      return state.earlier
    }
  }
}
