import CRocksDB
import KeyValueStore
import Synchronization

/// An engine on RocksDB in a directory of its own.
///
/// One group runs at a time. Its writes collect in a batch, which RocksDB appends to its log as one
/// record and syncs before anyone can see it. After the first write that fails, the engine has
/// stopped: what the disk holds is unknown then, and only a restart, which reads it anew, may go on.
package final class RocksDBEngine: KeyValueEngine {
  /// Bytes of unfinished, never acknowledged groups that were cut off the log at this start.
  package var discardedLogBytes: Int { directory.discardedLogBytes }

  private let directory: DataDirectory
  private let handle: RocksDBHandle
  private let condition: EngineCondition
  private let time: EngineTime
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
    let condition = EngineCondition()
    self.directory = directory
    self.handle = handle
    self.condition = condition
    groupObserver = configuration.groupObserver
    time = EngineTime(try Self.timeline(of: handle), clock: clock) { ceiling in
      try condition.checkRunning()
      try condition.stoppingOnFailure { () throws(KeyValueError) in
        try handle.put(TimeRecord.ceilingKey, TimeRecord.ceiling(ceiling))
      }
    }
  }

  deinit {
    handle.close()
    directory.unlock()
  }

  package func read<R>(_ body: (any KeyValueSnapshot) throws -> R) throws -> R {
    try condition.checkOpen()
    return try body(RocksDBSnapshot(of: handle, time: time))
  }

  package func readInMemory<R>(
    steps: Int,
    _ body: (any KeyValueSnapshot) throws -> R
  ) throws -> R? {
    try condition.checkOpen()
    do {
      return try body(RocksDBSnapshot(of: handle, time: time, stepsInMemory: steps))
    } catch is NotInMemory {
      return nil
    }
  }

  package func write<R>(_ body: (any KeyValueGroup) throws -> R) throws -> R {
    try groups.withLock { _ in
      try condition.checkRunning()
      let group = RocksDBGroup(on: handle, time: time)
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
    guard !cachedOnly else { return try handle.getCached(key) }
    return try handle.get(key).map(PointRead.found) ?? .missing
  }

  /// The copy shares files with the original where the file system can link them.
  package func checkpoint(to directory: String) throws {
    try condition.checkRunning()
    let unfinished = directory + ".unfinished"
    try handle.checkpoint(to: unfinished)
    try DataDirectory.mark(unfinished)
    try SystemFile.move(unfinished, to: directory)
  }

  package func statistics() -> [String: Double] {
    guard (try? condition.checkOpen()) != nil else { return [:] }
    var statistics: [String: Double] = [:]
    for (name, property) in RocksDBProperties.reported {
      statistics[name] = handle.property(property).map { Double($0) }
    }
    return statistics
  }

  /// Flushes first, unless the engine has stopped, so that the next start has nothing to replay.
  package func close() throws {
    let isRunning = (try? condition.checkRunning()) != nil
    guard condition.close() else { return }
    defer {
      handle.close()
      directory.unlock()
    }
    if isRunning {
      try handle.flush()
    }
  }

  private func land(_ group: RocksDBGroup) throws {
    let ceiling = group.recordTime()
    guard !group.isEmpty else { return }
    let start = ContinuousClock.now
    try condition.stoppingOnFailure { () throws(KeyValueError) in
      try group.write()
    }
    time.groupLanded(ceiling: ceiling)
    groupObserver?(group.count, ContinuousClock.now - start)
  }

  private static func timeline(of handle: RocksDBHandle) throws -> Timeline {
    let group = try handle.get(TimeRecord.groupKey)
    let ceiling = try handle.get(TimeRecord.ceilingKey)
    return Timeline(
      landed: try TimeRecord.version(inGroup: group),
      ceiling: max(
        try TimeRecord.ceiling(inGroup: group),
        try TimeRecord.ceiling(in: ceiling)
      )
    )
  }
}
