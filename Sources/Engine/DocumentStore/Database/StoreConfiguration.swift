import BaseRuntime
import KeyValueStore

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// The behaviour of a `Databases`, and its dependencies: clock, randomness, observers.
package struct StoreConfiguration: Sendable {
  /// Measures waiting and idling; it need not be the wall clock.
  package var clock = Self.monotonicClock
  /// The clock that the engine's versions follow; it only gives sweeps the age of history.
  package var wallClock = MicrosecondClock.system
  /// Numbers that make transaction ids unguessable.
  package var random: @Sendable () -> UInt64 = { .random(in: .min ... .max) }

  /// Memory for recently read documents, beside the engine's cache.
  package var documentCacheBytes = 16 << 20

  /// The age of the oldest readable version, in microseconds.
  package var retention: Int64 = 3_600_000_000
  /// The age of the oldest readable version with point-in-time recovery, in microseconds.
  package var recoveryRetention: Int64 = 7 * 86_400_000_000
  /// The most bytes of history of a database without point-in-time recovery; the oldest goes first, even inside
  /// `retention`.
  package var historyBytes: Int64 = 1 << 30

  /// After so many microseconds without a call a transaction is over.
  package var transactionIdleTimeout: Int64 = 60_000_000
  /// A transaction ends after this many microseconds, in any state.
  package var transactionTotalTimeout: Int64 = 270_000_000
  /// The microseconds for which the outcome of a transaction is remembered.
  package var transactionMemory: Int64 = 300_000_000
  /// The number of transactions of one database that may be in flight.
  package var maximumTransactions = 50_000
  /// The number of documents and ranges that one transaction may read.
  package var maximumTransactionReads = 100_000
  /// After so many microseconds in a document's queue a call gives up.
  package var lockTimeout: Int64 = 20_000_000

  /// True if naming an unknown database creates it.
  package var autoCreateDatabases = false
  /// True if naming a project's `(default)` database creates it; callers are authorised by then.
  package var autoCreateDefaultDatabases = false
  /// True if a query without its composite index is refused, as production does.
  package var requireIndexes = true
  /// The origin of the console to which the link leads in the error of such a query.
  package var consoleOrigin = IndexLink.firebaseConsole
  /// Receives the index that a query would need in production, when it ran without.
  package var missingIndexObserver: (@Sendable (String) -> Void)?
  /// Receives every commit that changed something, and databases that end.
  package var commitObserver: (any CommitObserver)?
  /// Writes what follows from commits in their own groups.
  package var commitFollower: (any CommitFollower)?
  /// Receives the number of commits in a group that became durable together.
  package var groupObserver: (@Sendable (_ commits: Int) -> Void)?
  /// Receives failures of background work (sweeps, erasing).
  package var backgroundErrorObserver: (@Sendable (any Error) -> Void)?
  /// Receives damaged stored data, each time a read finds it on a thread that may touch the disk.
  package var damageObserver: (@Sendable (KeyValueError) -> Void)?
  /// True if the store ends operations that take too long, and does its maintenance, on a thread of
  /// its own; tests call `Databases.performMaintenance()` instead.
  package var maintainsItself = true
  /// True if that thread leaves sweeps, index builds and erasing to a caller of
  /// `Databases.performMaintenance()`.
  package var leavesSweepsToCaller = false

  /// The number of this node, if other processes serve the same databases, with transactions of
  /// their own; the engine supplies it.
  var node: NodeNumber?

  /// The defaults of production.
  package init() {}

  /// The age of the oldest readable version of a database, in microseconds.
  func retention(recoversPast: Bool) -> Int64 {
    recoversPast ? max(retention, recoveryRetention) : retention
  }

  /// Notifies the observer of an error, if it is damage.
  func noteDamage(_ error: any Error) {
    guard let damage = error as? KeyValueError, damage.code == .corruption else { return }
    damageObserver?(damage)
  }

  /// Microseconds since some moment, never stepping back.
  package static let monotonicClock = MicrosecondClock {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000
  }
}
