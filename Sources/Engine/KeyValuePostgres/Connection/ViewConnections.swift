import Dispatch
import KeyValueStore
import Synchronization

/// The connections that views use, one a view.
///
/// Any thread may call. If all are in use, a call waits for one.
final class ViewConnections: Sendable {
  private struct State {
    var idle: [PostgresConnection] = []
    /// Counted when those that are idle are found to be lost; those out then are not kept.
    var generation = 0
  }

  /// A connection, and which generation of them it belongs to.
  struct Lease {
    let connection: PostgresConnection
    fileprivate let generation: Int
  }

  private let connector: Connector
  private let state = Mutex(State())
  private let free: DispatchSemaphore

  /// Connections of which so many are open at most.
  init(_ connector: Connector, limit: Int) {
    self.connector = connector
    free = DispatchSemaphore(value: limit)
  }

  /// Lends a connection; a lost one is not kept afterwards, nor the others that were idle.
  func withConnection<R>(_ body: (PostgresConnection) throws -> R) throws -> R {
    let lease = try borrow()
    defer { giveBack(lease) }
    return try body(lease.connection)
  }

  /// Takes a connection, which must be given back.
  func borrow() throws -> Lease {
    let seconds = connector.configuration.patience / .seconds(1)
    guard free.wait(timeout: .now() + seconds) == .success else {
      throw KeyValueError(.overloaded, "all connections to PostgreSQL are in use")
    }
    let (kept, generation) = state.withLock { ($0.idle.popLast(), $0.generation) }
    do {
      return Lease(
        connection: try kept ?? connector.connect(for: .views),
        generation: generation
      )
    } catch {
      free.signal()
      throw error
    }
  }

  func giveBack(_ lease: Lease) {
    let isLost = lease.connection.isLost
    let dropped = state.withLock { state -> [PostgresConnection] in
      if isLost, lease.generation == state.generation {
        state.generation += 1
        defer { state.idle = [] }
        return state.idle
      }
      if !isLost, lease.generation == state.generation { state.idle.append(lease.connection) }
      return []
    }
    free.signal()
    // Closed out of the lock.
    _ = dropped
  }

  /// Closes those that are idle; the rest are closed when they are given back.
  func close() {
    state.withLock { state in
      state.idle = []
      state.generation += 1
    }
  }
}
