import Dispatch
import KeyValueStore
import Synchronization

/// Opens an engine's connections, again and again while the server is away.
///
/// Any thread may call. `close()` ends all waiting.
final class Connector: Sendable {
  let configuration: PostgresConfiguration
  private let library: PostgresLibrary
  private let closing = DispatchSemaphore(value: 0)
  private let isClosed = Atomic(false)
  private let count = Atomic<Int>(0)

  private static let firstPause = Duration.milliseconds(10)
  private static let longestPause = Duration.milliseconds(250)

  init(_ configuration: PostgresConfiguration) throws {
    guard configuration.isClear else {
      throw KeyValueError(
        .misuse,
        """
        the address of the store is not clear: in its user and password @ is %40, / is %2F, ? is %3F, : is %3A and % is %25
        """
      )
    }
    self.configuration = configuration
    library = try PostgresLibrary()
  }

  /// True if all waiting has ended.
  var isEnded: Bool { isClosed.load(ordering: .sequentiallyConsistent) }

  /// The number of connections opened so far.
  var connections: Int { count.load(ordering: .relaxed) }

  /// The purpose of a connection, which decides how the server treats it.
  enum Purpose {
    case views, groups, notifications

    /// The plans are those that follow the index, for any table statistics.
    fileprivate func settings(_ configuration: PostgresConfiguration) -> String {
      let idle =
        switch self {
        case .views, .notifications: 60_000
        // Without other writers, no writer waits for an idle group.
        case .groups where configuration.sharing == .exclusive: 60_000
        case .groups: configuration.groupIdleMilliseconds
        }
      return """
        SET synchronous_commit = on; SET idle_in_transaction_session_timeout = \(idle);
        SET tcp_keepalives_idle = 1; SET tcp_keepalives_interval = 1;
        SET tcp_keepalives_count = 2; SET tcp_user_timeout = 2000;
        SET statement_timeout = 0; SET lock_timeout = 0; SET jit = off;
        SET plan_cache_mode = force_generic_plan; SET enable_seqscan = off;
        SET enable_bitmapscan = off
        """
    }
  }

  /// Runs `body` until it finds the server there, and the store free.
  ///
  /// The errors `unreachable` and `locked` are retried after a growing pause, until the time that
  /// calls wait has passed.
  func retrying<R>(_ body: () throws -> R) throws -> R {
    let deadline = ContinuousClock.now + configuration.patience
    var pause = Self.firstPause
    while true {
      do {
        return try body()
      } catch let error as KeyValueError where error.isTransient {
        guard ContinuousClock.now + pause < deadline, rest(pause) else { throw error }
        pause = min(pause * 2, Self.longestPause)
      }
    }
  }

  /// The same without an end, but that the engine is closed.
  func retryingUntilClosed<R>(_ body: () throws -> R) throws -> R {
    var pause = Self.firstPause
    while true {
      do {
        return try body()
      } catch let error as KeyValueError where error.code != .corruption {
        guard rest(pause) else { throw error }
        pause = min(pause * 2, Self.longestPause)
      }
    }
  }

  /// Opens one connection; throws `unreachable` at once where that fails.
  func connect(for purpose: Purpose) throws -> PostgresConnection {
    let connection = try PostgresConnection(
      library,
      to: configuration.address,
      settings: purpose.settings(configuration)
    )
    count.add(1, ordering: .relaxed)
    return connection
  }

  /// Ends what waits, with the error that it waited on.
  func close() {
    isClosed.store(true, ordering: .sequentiallyConsistent)
    closing.signal()
  }

  /// Returns true if the pause went by; false if the engine is being closed.
  private func rest(_ pause: Duration) -> Bool {
    guard !isClosed.load(ordering: .sequentiallyConsistent) else { return false }
    let seconds = pause / .seconds(1)
    guard closing.wait(timeout: .now() + seconds) == .success else { return true }
    // The other waiters are notified too.
    closing.signal()
    return false
  }
}
