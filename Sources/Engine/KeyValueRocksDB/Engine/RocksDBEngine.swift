import BaseRuntime
import CRocksDB
import KeyValueStore
import Synchronization

/// An engine on RocksDB in a directory of its own.
///
/// One group runs at a time, on the thread of the engine's queue. Its writes collect in a batch,
/// which RocksDB appends to its log as one record and syncs before anyone can see it. After the
/// first failed write, the engine has stopped: the contents of the disk are unknown then. Only code
/// that reads them again may continue: a restart or, where it suffices, `EngineRecovery`. A stopped
/// engine can be read. On a full disk an engine begins stopped, and runs as soon as there is room.
package final class RocksDBEngine: KeyValueEngine {
  /// The parts of the log that were cut off at this start.
  package let discardedLog: [DiscardedLog]
  /// The version of the last group that was there at this start; 0 in a new store.
  package let recoveredVersion: Int64

  private let directory: DataDirectory
  private let shared: SharedHandle
  private let condition: EngineCondition
  private let time: EngineTime
  private let recovery: EngineRecovery
  let log: LogWriter
  let logFiles: LogFiles
  private let room: DiskRoom
  private let queue: WriteQueue<RocksDBGroups>
  /// The writers of mass data.
  private let bulkWriters = Mutex(0)

  /// Opens the directory, which is made if it is missing, and recovers what a crash left.
  ///
  /// - Parameter whenLocked: Called once the directory is this process's, of a known format and with a
  ///   whole log, before the library opens it.
  package init(
    directory path: String,
    configuration: RocksDBConfiguration = RocksDBConfiguration(),
    clock: MicrosecondClock = .system,
    whenLocked: () -> Void = {}
  ) throws {
    let directory = try DataDirectory(opening: path)
    whenLocked()
    let (handle, want) = try Self.open(directory, configuration)
    let timeline = try Timeline(recordedIn: handle)
    let shared = SharedHandle(handle)
    let condition = EngineCondition(stoppedBy: want)
    let room = DiskRoom(path)
    let log = LogWriter(shared, condition, acknowledged: handle.latestSequence)
    let time = EngineTime(timeline, clock: clock) { ceiling in
      let lease = try shared.lease()
      try room.check(lease.handle)
      try log.write { (handle) throws(KeyValueError) in
        try handle.put(TimeRecord.ceilingKey, TimeRecord.ceiling(ceiling))
      }
    }
    self.directory = directory
    self.shared = shared
    self.condition = condition
    self.time = time
    let recovery = EngineRecovery(shared, condition, log, time, directory, configuration)
    self.recovery = recovery
    self.log = log
    logFiles = LogFiles(directory: path)
    self.room = room
    queue = WriteQueue(
      RocksDBGroups(
        shared: shared,
        condition: condition,
        time: time,
        log: log,
        recovery: recovery,
        room: room,
        observer: configuration.groupObserver
      ),
      limits: configuration.groupLimits
    )
    recoveredVersion = timeline.landed
    discardedLog = directory.discardedLog.map { $0.later(than: timeline.landed) }
    // An engine that kept its log before has left it.
    if !configuration.keepsLog { try logFiles.removeArchived(before: .max) }
  }

  /// True if the disk has room for opening all of some directories at once.
  package static func hasRoom(toOpen paths: [String]) -> Bool {
    let needed = paths.reduce(0) { $0 + ((try? DataDirectory.neededRoom(in: $1)) ?? DiskRoom.base) }
    guard let path = paths.first, let available = try? SystemFile.availableBytes(path) else {
      return false
    }
    return available >= needed
  }

  /// Opens the database; where the disk has no room for that, to be read, with the reason.
  private static func open(
    _ directory: DataDirectory,
    _ configuration: RocksDBConfiguration
  ) throws -> (handle: RocksDBHandle, want: KeyValueError?) {
    var want = try directory.wantOfRoom()
    if want == nil {
      do {
        let handle = try RocksDBHandle(directory: directory.path, configuration: configuration)
        return (handle, nil)
      } catch let error as KeyValueError where error.isWantOfRoom && directory.hasData {
        want = error
      }
    }
    let handle = try RocksDBHandle(
      directory: directory.path,
      configuration: configuration,
      isReadOnly: true
    )
    return (handle, want)
  }

  deinit {
    queue.close()
    shared.close()
    directory.unlock()
  }

  /// Runs the body on a snapshot of the library; blocks, as the body may read the disk.
  package func read<R>(_ body: (any KeyValueSnapshot) throws -> R) throws -> R {
    BlockingCheck.assertMayBlock()
    try condition.checkOpen()
    return try body(RocksDBSnapshot(of: shared.lease(), time: time))
  }

  /// Runs the body on a snapshot that reads memory alone, in at most `steps` steps; nil if that is not enough.
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

  /// Queues the write; its completion may run on the calling thread if the engine is closed.
  package func submit(_ write: QueuedWrite) { queue.submit(write) }

  /// True in the body or completion of a write, where the caller must not wait for another write.
  package var isWritingThread: Bool { queue.isCurrent }

  /// A number that differs after each group of writes; nil while one lands.
  package var stateMark: Int? { queue.stateMark }

  /// The newest durable value of the key; with `cachedOnly` the call does not block.
  package func get(_ key: [UInt8], cachedOnly: Bool) throws -> PointRead {
    try condition.checkOpen()
    let lease = try shared.lease()
    guard !cachedOnly else { return try lease.handle.getCached(key) }
    BlockingCheck.assertMayBlock()
    return try lease.handle.get(key).map(PointRead.found) ?? .missing
  }

  /// Writes a consistent, openable copy of the data to a directory that does not exist yet.
  ///
  /// The copy shares files with the original where the file system can link them.
  package func checkpoint(to directory: String) throws {
    BlockingCheck.assertMayBlock()
    try condition.checkRunning()
    let unfinished = directory + ".unfinished"
    try shared.lease().handle.checkpoint(to: unfinished)
    try DataDirectory.mark(unfinished)
    try SystemFile.move(unfinished, to: directory)
  }

  /// Has new tables merged by many until the result is dropped.
  package func beginBulkWriting() -> BulkWriting {
    addBulkWriters(1)
    return BulkWriting { [weak self] in self?.addBulkWriters(-1) }
  }

  private func addBulkWriters(_ change: Int) {
    bulkWriters.withLock { count in
      let was = count > 0
      count += change
      guard was != (count > 0), let lease = try? shared.lease() else { return }
      // An engine that has stopped merges nothing; one that recovers has the usual setting.
      try? lease.handle.mergeNewTables(byMany: count > 0)
    }
  }

  /// The queue's counters and the library's properties; `kv_write_stopped` only while writes are refused.
  ///
  /// Empty once the engine is closed.
  package func statistics() -> [String: Double] {
    guard (try? condition.checkOpen()) != nil else { return [:] }
    let counts = queue.counts
    var statistics = [
      "kv_recoveries_total": Double(recovery.recoveries),
      "kv_write_groups_total": Double(counts.groups),
      "kv_writes_total": Double(counts.writes),
    ]
    if let lease = try? shared.lease() {
      for (name, property) in RocksDBProperties.reported {
        statistics[name] = lease.handle.property(property).map { Double($0) }
      }
    }
    // The library does not count a failed sync of its log, nor operations that are refused before
    // it.
    statistics["kv_background_errors", default: 0] += Double(condition.stopCount)
    if condition.isStopped || room.isShort { statistics["kv_write_stopped"] = 1 }
    return statistics
  }

  /// Flushes first, so that the next start has nothing to replay; an engine that has stopped cuts its log
  /// behind the last acknowledged write instead, so that no write comes into force that was refused.
  package func close() throws {
    BlockingCheck.assertMayBlock()
    queue.close()
    let isStopped = condition.isStopped
    guard condition.close() else { return }
    defer { directory.unlock() }
    guard isStopped else {
      defer { shared.close() }
      return try flushAtClose()
    }
    shared.close()
    try log.recover { try directory.cutLog(after: $0) }
  }

  /// Writes tables of what is in memory, and waits for no merge; on a full disk the log has it still.
  private func flushAtClose() throws {
    do {
      let lease = try shared.lease()
      try lease.handle.endCompactions()
      try lease.handle.flush()
    } catch let error as KeyValueError where error.isWantOfRoom {
      return
    }
  }

  /// True if a write has failed and nothing is written until the engine has recovered, or for good.
  package var isStopped: Bool { condition.isStopped }

  /// Bytes that the directory's file system has left for this process.
  package func availableBytes() throws -> Int { try SystemFile.availableBytes(directory.path) }

  /// Has the library drop soon what is deleted in a range, whose room the disk has back then.
  ///
  /// Returns before that is done.
  package func freeSpace(of range: KeyRange) throws {
    BlockingCheck.assertMayBlock()
    try condition.checkRunning()
    let lease = try shared.lease()
    // Recently deleted data is only in memory.
    try lease.handle.flush()
    try lease.handle.suggestCompaction(of: range)
  }

  /// Writes a few bytes and returns when they are durable.
  ///
  /// Throws what keeps writes from being done. A stopped engine is taken up again here, too, if that
  /// can be.
  package func probe() throws {
    try write { group in
      guard let group = group as? RocksDBGroup else {
        preconditionFailure("a group of another engine")
      }
      group.putProbe()
    }
  }
}
