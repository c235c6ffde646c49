import KeyValueStore

/// The groups of an engine: each is one record of the library's log, synced before anyone can see it.
struct RocksDBGroups: GroupWriter {
  let shared: SharedHandle
  let condition: EngineCondition
  let time: EngineTime
  let log: LogWriter
  let recovery: EngineRecovery
  let room: DiskRoom
  let observer: (@Sendable (_ keys: Int, _ duration: Duration) -> Void)?

  /// True unless a group might have to begin with reading the engine's files again or with making room.
  var takesLeaders: Bool { !condition.isStopped && room.isAmple }

  /// Takes a stopped engine up again first, if that can be.
  func beginGroup() throws -> RocksDBGroup {
    recovery.recoverIfDue()
    try condition.checkRunning()
    let lease = try shared.lease()
    try room.checkFlushing(lease.handle)
    return RocksDBGroup(on: lease, time: time)
  }

  func land(_ group: RocksDBGroup) throws {
    let ceiling = group.recordTime()
    guard !group.isEmpty else { return }
    let start = ContinuousClock.now
    try log.write { (handle) throws(KeyValueError) in try group.write(to: handle) }
    time.groupLanded(ceiling: ceiling)
    observer?(group.count, ContinuousClock.now - start)
  }

  func abandon(_ group: RocksDBGroup) { time.groupAbandoned() }
}
