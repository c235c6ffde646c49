import KeyValueStore
import Synchronization

/// The one way into the library's log: a write at a time, none after one that failed.
///
/// **Invariant.** Every write whose caller was told of success has a sequence number up to
/// `acknowledged`, and was synced; every write that failed would have had a greater one. No two
/// writes are in flight at once, so the library never puts two of them into one record, and none
/// follows a failed one. So the log can be truncated behind the last acknowledged record with
/// nothing lost, and nothing kept that its author believes to have failed. `EngineRecovery` does
/// that, and so does an engine that is closed after a failure. A process that is killed before
/// leaves the record of the failed write, if its bytes came so far: hence
/// `KeyValueError.outcomeUnknown`.
final class LogWriter: Sendable {
  private let shared: SharedHandle
  private let condition: EngineCondition
  /// The last sequence number of the last successful write; held while one is in flight.
  private let acknowledged: Mutex<UInt64>
  /// The same, for those who may not wait for a write.
  private let published: Atomic<UInt64>

  init(_ shared: SharedHandle, _ condition: EngineCondition, acknowledged: UInt64) {
    self.shared = shared
    self.condition = condition
    self.acknowledged = Mutex(acknowledged)
    published = Atomic(acknowledged)
  }

  /// The last sequence number of the last write that succeeded.
  var acknowledgedSequence: UInt64 { published.load(ordering: .acquiring) }

  /// Runs a write that returns when it is durable; a failure stops the engine.
  func write(_ body: (RocksDBHandle) throws(KeyValueError) -> Void) throws {
    // A thread that may hold a lease must not wait for a recovery, which waits for leases.
    try condition.checkRunning()
    try acknowledged.withLock { acknowledged in
      try condition.checkRunning()
      let lease = try shared.lease()
      do {
        try condition.stoppingOnFailure { () throws(KeyValueError) in try body(lease.handle) }
      } catch let error as KeyValueError where error.code == .inputOutput {
        throw KeyValueError(.outcomeUnknown, error.message, metadata: error.metadata)
      }
      acknowledged = lease.handle.latestSequence
      published.store(acknowledged, ordering: .releasing)
    }
  }

  /// Runs a recovery with the last acknowledged sequence number, without a write in flight.
  func recover(_ body: (UInt64) throws -> Void) throws {
    try acknowledged.withLock { try body($0) }
  }
}
