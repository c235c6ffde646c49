import NIOCore
import NIOPosix
import Synchronization

/// The event loops of a running gateway, to be asked whether they still turn.
final class EventLoopTurns: Sendable {
  private let loops = Mutex<[any EventLoop]>([])

  /// Begins with a group's loops.
  func begin(_ group: MultiThreadedEventLoopGroup) {
    loops.withLock { $0 = Array(group.makeIterator()) }
  }

  /// Ends before the loops do.
  func end() { loops.withLock { $0 = [] } }

  /// Returns when each loop has run a task that was put in its queue now; at once where none runs.
  func take() async {
    // Under the lock, so that no loop is asked that has ended.
    let turns = loops.withLock { $0.map { $0.submit {} } }
    for turn in turns { try? await turn.get() }
  }
}
