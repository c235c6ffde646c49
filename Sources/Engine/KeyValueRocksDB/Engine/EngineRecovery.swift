import KeyValueStore
import Synchronization

/// Takes a stopped engine's database up again without a restart, where that is safe.
///
/// **When.** After a failure to open a file for lack of descriptors, which fails no write or sync,
/// and after one for lack of disk space, which leaves earlier synced data as it is. Any other write
/// or sync that had failed before would have stopped the engine itself: so all that was
/// acknowledged is on the disk, as at a kill -9. Never after another failure of a write or sync. A
/// merge that had no room needs no help: the library retries it by itself.
///
/// **How.** As a restart does it, and then some: the database is closed once nobody uses it; torn
/// tails are cut off; so is what lies behind the last acknowledged write, since its author was told
/// that it failed and what is in memory above the engine rests on that; the library opens the
/// directory, which writes what its logs hold to tables and syncs them. Finally the result is
/// compared with the data that is known to be durable. If anything is amiss the engine stays
/// stopped. If the disk is full again by then it stays stopped too, with a database that can be
/// read.
///
/// One thread at a time, between groups.
final class EngineRecovery: Sendable {
  private let shared: SharedHandle
  private let condition: EngineCondition
  private let log: LogWriter
  private let time: EngineTime
  private let directory: DataDirectory
  private let configuration: RocksDBConfiguration
  private let lastAttempt = Mutex<ContinuousClock.Instant?>(nil)
  private let count = Atomic<Int>(0)

  /// The time that open views may take to end.
  private static let timeout = Duration.seconds(2)
  /// The pause between two attempts.
  private static let pause = Duration.milliseconds(250)
  /// The number of descriptors that an opening takes, with the tables that it opens, and some to
  /// spare for other callers.
  private static let descriptors = 48

  init(
    _ shared: SharedHandle,
    _ condition: EngineCondition,
    _ log: LogWriter,
    _ time: EngineTime,
    _ directory: DataDirectory,
    _ configuration: RocksDBConfiguration
  ) {
    self.shared = shared
    self.condition = condition
    self.log = log
    self.time = time
    self.directory = directory
    self.configuration = configuration
  }

  /// The number of times that the database was reopened.
  var recoveries: Int { count.load(ordering: .relaxed) }

  /// Reopens the database if the engine has stopped for a reason that may have passed.
  ///
  /// A call within a pause after the last attempt does nothing. If the attempt fails the engine
  /// stays stopped.
  func recoverIfDue() {
    guard condition.mayRecover, isDue() else { return }
    do {
      try recover()
    } catch let error as KeyValueError
      where error.code == .stopped || error.isWantOfDescriptors || error.isWantOfRoom
    {
      // Views are open still, or descriptors or room are short still.
    } catch {
      condition.recoveryFailed(
        error as? KeyValueError ?? KeyValueError(.inputOutput, "the recovery failed: \(error)")
      )
    }
  }

  private func isDue() -> Bool {
    let now = ContinuousClock.now
    return lastAttempt.withLock { last in
      if let last, now - last < Self.pause { return false }
      last = now
      return true
    }
  }

  private func recover() throws {
    try SystemFile.checkDescriptors(Self.descriptors)
    if let want = try directory.wantOfRoom() { throw want }
    try log.recover { acknowledged in
      var want: KeyValueError?
      try shared.replace(timeout: Self.timeout) { old in
        old?.close()
        try directory.cutLog(after: acknowledged)
        do {
          return try reopened(acknowledged)
        } catch let error as KeyValueError where error.isWantOfRoom {
          want = error
          return try RocksDBHandle(
            directory: directory.path,
            configuration: configuration,
            isReadOnly: true
          )
        }
      }
      if let want { throw want }
      condition.recovered()
    }
    count.add(1, ordering: .relaxed)
  }

  private func reopened(_ acknowledged: UInt64) throws -> RocksDBHandle {
    let opened = try RocksDBHandle(directory: directory.path, configuration: configuration)
    guard opened.latestSequence >= acknowledged,
      time.resume(at: try Timeline(recordedIn: opened))
    else {
      throw KeyValueError(
        .corruption,
        "\(directory.path) does not hold exactly what was acknowledged",
        metadata: ["directory": directory.path]
      )
    }
    return opened
  }
}

extension Timeline {
  /// Time as the database has it on record.
  init(recordedIn handle: RocksDBHandle) throws {
    let group = try handle.get(TimeRecord.groupKey)
    let ceiling = try handle.get(TimeRecord.ceilingKey)
    self.init(
      landed: try TimeRecord.version(inGroup: group),
      ceiling: max(
        try TimeRecord.ceiling(inGroup: group),
        try TimeRecord.ceiling(in: ceiling)
      )
    )
  }
}
