import CRocksDB
import KeyValueStore
import Synchronization

/// An engine on RocksDB in a directory of its own.
///
/// One group runs at a time. Its writes collect in a batch, which RocksDB appends to its log as one
/// record and syncs before anyone can see it. After the first write that fails, the engine has
/// stopped: what the disk holds is unknown then, and only what reads it anew may go on, a restart or,
/// where it suffices, `EngineRecovery`.
package final class RocksDBEngine: KeyValueEngine {
  /// What was cut off the log at this start.
  package let discardedLog: [DiscardedLog]
  /// The version of the last group that was there at this start; 0 in a new store.
  package let recoveredVersion: Int64

  private let directory: DataDirectory
  private let shared: SharedHandle
  private let condition: EngineCondition
  private let time: EngineTime
  private let log: LogWriter
  private let recovery: EngineRecovery
  private let groups = Mutex(())
  private let groupObserver: (@Sendable (_ keys: Int, _ duration: Duration) -> Void)?

  /// Opens the directory, which is made if it is missing, and recovers what a crash left.
  package init(
    directory path: String,
    configuration: RocksDBConfiguration = RocksDBConfiguration(),
    clock: MicrosecondClock = .system
  ) throws {
    let directory = try DataDirectory(opening: path)
    let handle = try RocksDBHandle(directory: path, configuration: configuration)
    let timeline = try Timeline(recordedIn: handle)
    let shared = SharedHandle(handle)
    let condition = EngineCondition()
    let log = LogWriter(shared, condition, acknowledged: handle.latestSequence)
    let time = EngineTime(timeline, clock: clock) { ceiling in
      try log.write { (handle) throws(KeyValueError) in
        try handle.put(TimeRecord.ceilingKey, TimeRecord.ceiling(ceiling))
      }
    }
    self.directory = directory
    self.shared = shared
    self.condition = condition
    self.log = log
    self.time = time
    recovery = EngineRecovery(shared, condition, log, time, directory, configuration)
    recoveredVersion = timeline.landed
    discardedLog = directory.discardedLog.map { $0.later(than: timeline.landed) }
    groupObserver = configuration.groupObserver
  }

  deinit {
    shared.close()
    directory.unlock()
  }

  package func read<R>(_ body: (any KeyValueSnapshot) throws -> R) throws -> R {
    BlockingCheck.assertMayBlock()
    try condition.checkOpen()
    return try body(RocksDBSnapshot(of: shared.lease(), time: time))
  }

  package func readInMemory<R>(
    steps: Int,
    _ body: (any KeyValueSnapshot) throws -> R
  ) throws -> R? {
    try condition.checkOpen()
    do {
      return try body(RocksDBSnapshot(of: shared.lease(), time: time, stepsInMemory: steps))
    } catch is NotInMemory {
      return nil
    }
  }

  package func write<R>(_ body: (any KeyValueGroup) throws -> R) throws -> R {
    BlockingCheck.assertMayBlock()
    return try groups.withLock { _ in
      recovery.recoverIfDue()
      try condition.checkRunning()
      let group = RocksDBGroup(on: try shared.lease(), time: time)
      let result: R
      do {
        result = try body(group)
      } catch {
        time.groupAbandoned()
        throw error
      }
      try land(group)
      return result
    }
  }

  package func get(_ key: [UInt8], cachedOnly: Bool) throws -> PointRead {
    try condition.checkOpen()
    let lease = try shared.lease()
    guard !cachedOnly else { return try lease.handle.getCached(key) }
    BlockingCheck.assertMayBlock()
    return try lease.handle.get(key).map(PointRead.found) ?? .missing
  }

  /// The copy shares files with the original where the file system can link them.
  package func checkpoint(to directory: String) throws {
    BlockingCheck.assertMayBlock()
    try condition.checkRunning()
    let unfinished = directory + ".unfinished"
    try shared.lease().handle.checkpoint(to: unfinished)
    try DataDirectory.mark(unfinished)
    try SystemFile.move(unfinished, to: directory)
  }

  package func statistics() -> [String: Double] {
    guard (try? condition.checkOpen()) != nil else { return [:] }
    var statistics = ["kv_recoveries_total": Double(recovery.recoveries)]
    guard let lease = try? shared.lease() else { return statistics }
    for (name, property) in RocksDBProperties.reported {
      statistics[name] = lease.handle.property(property).map { Double($0) }
    }
    return statistics
  }

  /// Flushes first, unless the engine has stopped, so that the next start has nothing to replay.
  package func close() throws {
    BlockingCheck.assertMayBlock()
    let isRunning = (try? condition.checkRunning()) != nil
    guard condition.close() else { return }
    defer {
      shared.close()
      directory.unlock()
    }
    if isRunning {
      try shared.lease().handle.flush()
    }
  }

  /// Whether a write has failed and nothing is written until the engine has recovered, or for good.
  package var isStopped: Bool { condition.isStopped }

  /// Writes a few bytes as a group would and returns when they are durable.
  ///
  /// Throws what keeps groups from being written. A stopped engine is taken up again here, too, if that
  /// can be.
  package func probe() throws {
    BlockingCheck.assertMayBlock()
    try groups.withLock { _ in
      recovery.recoverIfDue()
      try log.write { (handle) throws(KeyValueError) in
        try handle.put(TimeRecord.probeKey, TimeRecord.probe(time.now()))
      }
    }
  }

  private func land(_ group: RocksDBGroup) throws {
    let ceiling = group.recordTime()
    guard !group.isEmpty else { return }
    let start = ContinuousClock.now
    try log.write { (handle) throws(KeyValueError) in try group.write(to: handle) }
    time.groupLanded(ceiling: ceiling)
    groupObserver?(group.count, ContinuousClock.now - start)
  }
}
