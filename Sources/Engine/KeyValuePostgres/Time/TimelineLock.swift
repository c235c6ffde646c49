import KeyValueStore
import Synchronization

/// The engine's ways to the timeline's row: one after the other they lock it and learn what it says.
///
/// Groups hold the row beyond the call; a ceiling that is raised during a group waits for the
/// group's end in the database. Any thread may call, but none that runs in a group.
final class TimelineLock: Sendable {
  private let connector: Connector
  private let schema: StoreSchema
  private let time: EpochTime
  private let condition: EngineCondition
  /// Guards the row's locking together with the record in `time`, and provides a connection for
  /// ceilings.
  private let ceilings = Mutex<PostgresConnection?>(nil)

  init(
    _ connector: Connector,
    _ schema: StoreSchema,
    _ time: EpochTime,
    _ condition: EngineCondition
  ) {
    self.connector = connector
    self.schema = schema
    self.time = time
    self.condition = condition
  }

  /// Begins a transaction that holds the row, for a group.
  func beginGroup(on connection: PostgresConnection) throws -> TimelineRow {
    try ceilings.withLock { _ in
      do {
        let row = try TimelineRow(try connection.run(schema.beginGroup))
        try checkSuccession(row)
        time.clock.note(row)
        if let setting = time.clock.setting(for: row) {
          try connection.run(schema.setClock(setting))
        }
        time.groupBegins(row)
        return row
      } catch {
        connection.rollBack()
        throw error
      }
    }
  }

  /// Makes a ceiling durable.
  func raise(to ceiling: Int64) throws {
    try connector.retrying {
      try ceilings.withLock { kept in
        // An earlier caller may have raised it for all waiting ones.
        guard !time.isRaised(to: ceiling) else { return }
        try write(&kept, ceiling: ceiling)
      }
    }
  }

  /// Makes this engine the one that holds the time, unless it is.
  func takeOver() throws {
    try connector.retrying { try ceilings.withLock { try write(&$0, ceiling: nil) } }
  }

  /// Moves the last version on to the server's time, unless it is younger than a second.
  ///
  /// For engines that share a store.
  func tick() throws {
    try connector.retrying {
      try ceilings.withLock { kept in
        try change(&kept) { row in
          guard isStale(row) else { return nil }
          return (schema.tick(to: max(time.clock.now(), row.ceiling), holder: time.writer), {})
        }
      }
    }
  }

  /// Returns true for a last version so old that time has to advance without a group.
  func isStale(_ row: TimelineRow) -> Bool { time.clock.now() - row.version > Timeline.lead }

  /// Takes the server's clock to be right, for all engines of the store.
  func acceptClock() throws {
    try connector.retrying {
      try ceilings.withLock { kept in
        try change(&kept) { row in
          (schema.setClock(ServerClock.acceptance(of: row)), { self.time.clock.accepted(row) })
        }
      }
    }
  }

  /// Closes the connection for ceilings.
  func close() { ceilings.withLock { $0 = nil } }

  private func write(_ kept: inout PostgresConnection?, ceiling: Int64?) throws {
    try change(&kept) { row in
      if ceiling == nil, time.holds(row) { return nil }
      try checkSuccession(row)
      let record = time.raise(row, to: ceiling)
      return (
        schema.raise(ceiling: record.ceiling, epoch: record.epoch, holder: time.writer),
        { self.time.raised(row, record) }
      )
    }
  }

  /// Locks the row, runs the statement that `decide` makes of it, unless that is none, and calls back once it is durable.
  ///
  /// A step of the clock that the row does not know of is written, too.
  private func change(
    _ kept: inout PostgresConnection?,
    _ decide: (TimelineRow) throws -> (statement: String, done: () -> Void)?
  ) throws {
    if kept?.isLost ?? true { kept = nil }
    let connection = try kept ?? connector.connect(for: .groups)
    kept = connection
    do {
      let row = try TimelineRow(try connection.run(schema.beginGroup))
      time.clock.note(row)
      let setting = time.clock.setting(for: row).map { schema.setClock($0) }
      let change = try decide(row)
      let statements = [setting, change?.statement].compactMap(\.self)
      guard !statements.isEmpty else { return connection.rollBack() }
      for statement in statements { try connection.run(statement) }
      switch connection.commit() {
      case .committed: change?.done()
      // A ceiling that may or may not be there does no harm; the next one decides.
      case .refused(let error), .unknown(let error): throw error
      }
    } catch {
      connection.rollBack()
      throw error
    }
  }

  /// Stops an engine that is alone where another holds the time all the same.
  private func checkSuccession(_ row: TimelineRow) throws {
    if !time.holds(row) { try condition.timeIsAnothers() }
  }
}
