import KeyValueStore
import Synchronization

/// The groups of an engine: each is one transaction, whose outcome is known before anybody hears of it.
final class PostgresGroups: GroupWriter {
  private let session: WriterSession
  private let connector: Connector
  private let schema: StoreSchema
  private let timeline: TimelineLock
  private let time: EpochTime
  private let condition: EngineCondition
  /// Nil where the engine has its store alone.
  private let log: GroupLog?
  private let number = Atomic<Int64>(0)
  private let inFlight = Atomic(false)
  private let doubts = Atomic<Int>(0)

  /// Bytes of a group that may take long on their way.
  private static let largeGroup = 1 << 20

  init(
    _ session: WriterSession,
    _ connector: Connector,
    _ schema: StoreSchema,
    _ timeline: TimelineLock,
    _ time: EpochTime,
    _ condition: EngineCondition,
    _ log: GroupLog?
  ) {
    self.session = session
    self.connector = connector
    self.schema = schema
    self.timeline = timeline
    self.time = time
    self.condition = condition
    self.log = log
  }

  /// True if a group holds the timeline.
  var isInFlight: Bool { inFlight.load(ordering: .relaxed) }

  /// The number of COMMITs left without a response.
  var lostAnswers: Int { doubts.load(ordering: .relaxed) }

  func beginGroup() throws -> PostgresGroup {
    try condition.check()
    let group = try connector.retrying {
      let connection = try session.live()
      let row = try timeline.beginGroup(on: connection)
      do {
        try log?.beginGroup(row, on: connection)
      } catch {
        time.groupAbandoned()
        connection.rollBack()
        throw error
      }
      return PostgresGroup(connection, row, schema, time)
    }
    inFlight.store(true, ordering: .relaxed)
    return group
  }

  func land(_ group: PostgresGroup) throws {
    defer { inFlight.store(false, ordering: .relaxed) }
    let short = GroupWrites(group.writes, long: false)
    let long = GroupWrites(group.writes, long: true)
    guard let record = time.groupRecord() else {
      end(group)
      throw KeyValueError(.unreachable, "the group's connection was lost")
    }
    let hasVersion = record.version != group.row.version
    guard short.count + long.count > 0 || hasVersion else { return end(group) }
    let start = ContinuousClock.now
    let number = self.number.add(1, ordering: .relaxed).newValue
    do {
      if group.byteCount > Self.largeGroup { try giveTime(to: group) }
      if long.count > 0 { try group.connection.run(schema.longWrite, long.parameters) }
      try group.connection.run(
        schema.groupWrite,
        short.parameters + [
          BinaryValue.number(record.version), BinaryValue.number(record.ceiling),
          BinaryValue.number(record.epoch), BinaryValue.number(time.writer),
          BinaryValue.flag(long.count > 0), BinaryValue.number(number),
          BinaryValue.number(group.row.log + 1), log.map { _ in loggedKeys(of: group) },
        ]
      )
    } catch {
      end(group)
      throw error
    }
    let outcome = group.connection.commit(after: log == nil ? "" : schema.notify(time.writer))
    try settle(outcome, of: group, number, record)
    log?.groupLanded()
    connector.configuration.groupObserver?(short.count + long.count, ContinuousClock.now - start)
  }

  func abandon(_ group: PostgresGroup) {
    end(group)
    inFlight.store(false, ordering: .relaxed)
  }

  func settled() { log?.groupSettled() }

  private func loggedKeys(of group: PostgresGroup) -> [UInt8] {
    let unlogged = connector.configuration.unloggedFirstBytes
    return LoggedKeys.encode(
      group.writes.keys.filter { key in key.first.map { !unlogged.contains($0) } ?? false }
    )
  }

  /// Lets a large group rest longer before the server ends it, since it rests while its writes are on their way: a second more for each
  /// megabyte.
  private func giveTime(to group: PostgresGroup) throws {
    guard log != nil else { return }
    let milliseconds =
      connector.configuration.groupIdleMilliseconds + group.byteCount / (1 << 20) * 1_000
    try group.connection.run("SET LOCAL idle_in_transaction_session_timeout = \(milliseconds)")
  }

  /// The group writes nothing.
  private func end(_ group: PostgresGroup) {
    // First, so that the next holder of the row's lock finds the current time.
    time.groupAbandoned()
    group.connection.rollBack()
  }

  private func settle(
    _ outcome: CommitOutcome,
    of group: PostgresGroup,
    _ number: Int64,
    _ record: EpochTime.Record
  ) throws {
    switch outcome {
    case .committed: time.groupLanded(record)
    case .refused(let error):
      end(group)
      throw error
    case .unknown(let error):
      doubts.add(1, ordering: .relaxed)
      guard try isFoundLanded(number) else {
        end(group)
        throw error
      }
      time.groupLanded(record)
    }
  }

  /// `hasLanded`, with its failure translated for the group.
  private func isFoundLanded(_ number: Int64) throws -> Bool {
    do {
      return try hasLanded(number)
    } catch {
      throw KeyValueError(
        .outcomeUnknown,
        "the outcome of a group is unknown: "
          + ((error as? KeyValueError)?.message ?? "\(error)")
      )
    }
  }

  /// Finds out the outcome of a group whose COMMIT got no response, however long that takes.
  ///
  /// Locking the row waits for its transaction's end. The outcome is committed once more, since a
  /// server that waits for its standby shows a commit whose wait was broken off.
  private func hasLanded(_ number: Int64) throws -> Bool {
    try connector.retryingUntilClosed {
      let connection = try connector.connect(for: .groups)
      try connection.run(schema.beginGroup)
      let landed = try connection.run(schema.landedQuery(of: time.writer))
      try connection.run(schema.seen(time.writer))
      switch connection.commit() {
      case .committed: break
      case .refused(let error), .unknown(let error): throw error
      }
      return landed.rowCount > 0 ? try landed.number(0, 0) >= number : false
    }
  }
}
