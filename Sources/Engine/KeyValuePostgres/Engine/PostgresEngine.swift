import BaseRuntime
import KeyValueStore
import Synchronization

/// An engine on a PostgreSQL database.
///
/// A group is one transaction under a lock that all engines of the store share, so groups of several run one
/// after the other. A view is a repeatable-read transaction. Nothing is kept in memory: reads that may not
/// touch the disk answer that they do not know. Engines that share a store learn of each other's groups from a log.
///
/// **Faults.** A connection that is lost is reopened, for as long as calls wait. The remains of a
/// group on a lost connection are found out before its authors receive anything. An engine that is
/// alone and finds that another has taken the store over stops for good.
package final class PostgresEngine: KeyValueEngine {
  private let connector: Connector
  private let schema: StoreSchema
  private let views: ViewConnections
  private let tailViews: ViewConnections
  private let session: WriterSession
  let time: EpochTime
  let timeline: TimelineLock
  private let condition: EngineCondition
  private let groups: PostgresGroups
  private let queue: WriteQueue<PostgresGroups>
  /// Nil where the engine has its store alone, as the tail.
  private let log: GroupLog?
  private let tail: LogTail?
  private let node: NodeSession?

  /// The number of times that a view is reopened because another engine took the time in between.
  private static let openings = 50

  /// Opens the store, whose tables are made if they are missing.
  ///
  /// Throws `locked` where another engine has it and one of the two wants to be alone, `unreachable` where the
  /// server is.
  ///
  /// - Parameter clock: Instead of the server's, for tests.
  package init(_ configuration: PostgresConfiguration, clock: MicrosecondClock? = nil) throws {
    schema = try StoreSchema(name: configuration.schema)
    connector = try Connector(configuration)
    views = ViewConnections(connector, limit: configuration.viewConnections)
    // Work on the path of every request does not wait for views.
    tailViews = ViewConnections(connector, limit: 1)
    session = WriterSession(connector, schema)
    condition = EngineCondition(configuration.sharing)
    let isShared = configuration.sharing == .shared
    time = EpochTime(
      writer: .random(in: 1...Int64.max),
      clock: ServerClock(clock, steps: configuration.clockSteps),
      isShared: isShared
    )
    timeline = TimelineLock(connector, schema, time, condition)
    let log = isShared ? GroupLog(schema) : nil
    self.log = log
    node = isShared ? try NodeSession(connector, schema, node: time.writer) : nil
    groups = PostgresGroups(session, connector, schema, timeline, time, condition, log)
    queue = WriteQueue(groups)
    try Self.prepare(connector, schema, session)
    session.begin()
    do {
      try Self.beginTime(configuration, views, schema, time, timeline)
    } catch {
      connector.close()
      queue.close()
      session.close()
      throw error
    }
    if let log, let node {
      try timeline.tick()
      let row = try Self.beginView(in: views, schema) { row, _ in row }
      log.begin(at: row.log)
      let (views, schema) = (tailViews, schema)
      let tail = LogTail { [connector] in
        try connector.retrying {
          let mark = log.mark
          try Self.beginView(in: views, schema) {
            try Self.check($0, since: mark, log, $1)
            try log.learn($0, on: $1)
          }
        }
      }
      self.tail = tail
      node.start { tail.follow() }
    } else {
      tail = nil
      try timeline.takeOver()
    }
    condition.opened()
  }

  deinit {
    connector.close()
    queue.close()
    if condition.close() { endSharing() }
  }

  /// Runs the body in a read-only transaction of the database; it is rolled back afterwards.
  ///
  /// Throws `overloaded` if other engines take over the time again and again before the view opens. Blocks.
  package func read<R>(_ body: (any KeyValueSnapshot) throws -> R) throws -> R {
    BlockingCheck.assertMayBlock()
    if let log { return try read(beside: log, body) }
    let isInGroup = groups.isInFlight && queue.isCurrent
    for _ in 0..<Self.openings {
      let opening = time.opening()
      let (lease, row) = try openView()
      defer { views.giveBack(lease) }
      guard isInGroup || time.holds(row, since: opening) else {
        lease.connection.rollBack()
        try condition.timeIsAnothers()
        try timeline.takeOver()
        continue
      }
      defer { lease.connection.rollBack() }
      let reader = TableReader(
        lease.connection,
        schema,
        hasLongKeys: row.hasLongKeys
      )
      return try body(
        PostgresSnapshot(
          reader,
          row,
          floor: opening.floor,
          time: ViewTime(time: time, timeline: timeline, isInGroup: isInGroup)
        )
      )
    }
    throw KeyValueError(.overloaded, "other nodes take the time faster than a view opens")
  }

  /// A view of a store that others write too: it holds all up to the last version there is, which is its time.
  private func read<R>(
    beside log: GroupLog,
    _ body: (any KeyValueSnapshot) throws -> R
  ) throws -> R {
    // Writes of others behind a group are reported when its completions have run.
    let isWriter = queue.isCurrent
    var (lease, row) = try openView()
    if timeline.isStale(row), !isWriter {
      lease.connection.rollBack()
      views.giveBack(lease)
      try timeline.tick()
      (lease, row) = try openView()
    }
    defer { views.giveBack(lease) }
    defer { lease.connection.rollBack() }
    if !isWriter { try log.learn(row, on: lease.connection) }
    let reader = TableReader(lease.connection, schema, hasLongKeys: row.hasLongKeys)
    return try body(PostgresSnapshot(reader, row, time: row.version))
  }

  /// Nil as soon as the body asks for anything, since the engine keeps no data in memory.
  package func readInMemory<R>(
    steps: Int,
    _ body: (any KeyValueSnapshot) throws -> R
  ) throws -> R? {
    try condition.check()
    do {
      return try body(EmptyMemory())
    } catch is NotInMemory {
      return nil
    }
  }

  /// Queues the write; in a cluster it is bound to the term of leadership that the submitting task has.
  package func submit(_ write: QueuedWrite) { queue.submit(LeaderTerm.bound(write)) }

  /// True in the body or completion of a write, where the caller must not wait for another write.
  package var isWritingThread: Bool { queue.isCurrent }

  /// Reads the key's newest value from the server; with `cachedOnly` always `.incomplete`.
  package func get(_ key: [UInt8], cachedOnly: Bool) throws -> PointRead {
    try condition.check()
    guard !cachedOnly else { return .incomplete }
    BlockingCheck.assertMayBlock()
    if log != nil { return try read { try $0.get(key).map(PointRead.found) ?? .missing } }
    return try connector.retrying {
      try views.withConnection { connection in
        let reader = TableReader(connection, schema, hasLongKeys: true)
        return try reader.get(key).map(PointRead.found) ?? .missing
      }
    }
  }

  /// The database's clock, on which all engines of a store agree, for any clocks of their machines.
  package var clock: MicrosecondClock { MicrosecondClock { [time] in time.clock.now() } }

  /// The number drawn when the engine opened; nil for an exclusive store.
  package var nodeNumber: NodeNumber? { node?.number }

  /// Adds an observer of the shared store's log, notified before the return that nothing is known.
  ///
  /// Does nothing for an exclusive store. Blocks.
  package func observeOthers(
    in ranges: [KeyRange],
    _ observer: @escaping OtherWritesObserver
  ) throws {
    guard let log else { return }
    try connector.retrying {
      while try !Self.beginView(
        in: views,
        schema,
        { row, connection in
          try log.add(ranges, observer, row, on: connection)
        }
      ) {}
    }
  }

  /// Calls back when the log has been read up to its present end; at once for an exclusive store.
  package func whenCurrent(_ body: @escaping @Sendable (Result<Void, any Error>) -> Void) {
    guard let tail else { return body(.success(())) }
    tail.ask(body)
  }

  /// Counts since the engine opened: connections, commits whose reply was lost, groups and writes.
  package func statistics() -> [String: Double] {
    let counts = queue.counts
    return [
      "kv_connections_total": Double(connector.connections),
      "kv_lost_answers_total": Double(groups.lostAnswers),
      "kv_write_groups_total": Double(counts.groups),
      "kv_writes_total": Double(counts.writes),
    ]
  }

  /// Ends all waiting for an unreachable server, now and later: waiting calls fail.
  package func stopWaiting() { connector.close() }

  /// Ends all waiting, then the threads and connections; blocks until queued writes have their outcome.
  package func close() throws {
    BlockingCheck.assertMayBlock()
    stopWaiting()
    queue.close()
    guard condition.close() else { return }
    endSharing()
    session.close()
    timeline.close()
    views.close()
    tailViews.close()
  }

  private func endSharing() {
    node?.close()
    tail?.close()
  }

  /// Runs a body that only one engine of a store may run, if this one leads, as an engine that is
  /// alone always does; returns nil if it does not.
  ///
  /// The writes that the body submits from its thread belong to this engine's term: once another
  /// engine leads they fail with `notLeading` instead, however late their group runs.
  package func lead<R>(_ body: () throws -> R) rethrows -> R? {
    guard let node else { return try body() }
    guard let term = node.term else { return nil }
    return try LeaderTerm.$current.withValue(term, operation: body)
  }

  /// Lists this engine with the address at which others of its store reach its node; of no use where it is alone.
  package func announce(address: String) throws {
    BlockingCheck.assertMayBlock()
    guard let node else { return }
    node.setAddress(address)
    try connector.retrying { try views.withConnection { try node.beat($0) } }
  }

  /// The address of a node that shares the store; nil without one, or after a quarter of a minute
  /// without a sign of life.
  package func address(of node: NodeNumber) throws -> String? {
    let address = try listing(of: node) { String(decoding: $0.bytes(0, 0), as: UTF8.self) }
    return address.flatMap { $0.isEmpty ? nil : $0 }
  }

  /// Returns the time of the last sign of life of a node that shares the store, in microseconds of
  /// the database's clock; nil if that was more than a quarter of a minute ago.
  package func lastHeard(of node: NodeNumber) throws -> Int64? {
    try listing(of: node) { try BinaryValue.number($0.bytes(0, 1)) }
  }

  /// Reads something of a node's line of the list; nil where it is not listed.
  private func listing<R>(
    of node: NodeNumber,
    _ read: (PostgresResult) throws -> R
  ) throws -> R? {
    BlockingCheck.assertMayBlock()
    let number = BinaryValue.number(Int64(bitPattern: node.value))
    return try connector.retrying {
      try views.withConnection { connection in
        let rows = try connection.run(schema.nodeListing, [number])
        return rows.rowCount > 0 ? try read(rows) : nil
      }
    }
  }

  /// True if another engine has taken the store over, so that this one writes and reads no more.
  package var isStopped: Bool { condition.isStopped }

  /// Begins and ends a group that writes nothing; throws what keeps groups from being written.
  package func probe() throws { try write { _ = try $0.allocateVersion() } }

  private func openView() throws -> (ViewConnections.Lease, TimelineRow) {
    try connector.retrying {
      try condition.check()
      let mark = log?.mark ?? 0
      let lease = try views.borrow()
      do {
        let row = try TimelineRow(try lease.connection.run(schema.beginView))
        if let log { try Self.check(row, since: mark, log, lease.connection) }
        time.clock.note(row)
        return (lease, row)
      } catch {
        lease.connection.rollBack()
        views.giveBack(lease)
        throw error
      }
    }
  }

  /// Lets go of a connection whose server has not what observers have heard of.
  private static func check(
    _ row: TimelineRow,
    since mark: Int64,
    _ log: GroupLog,
    _ connection: PostgresConnection
  ) throws {
    do {
      try log.check(row, since: mark)
    } catch {
      connection.giveUp()
      throw error
    }
  }

  /// Runs a body in a transaction that reads.
  static func beginView<R>(
    in views: ViewConnections,
    _ schema: StoreSchema,
    _ body: (TimelineRow, PostgresConnection) throws -> R
  ) throws -> R {
    try views.withConnection { connection in
      defer { connection.rollBack() }
      return try body(try TimelineRow(try connection.run(schema.beginView)), connection)
    }
  }

  /// Locks the store and makes its tables where they are missing; refuses those of a newer program.
  private static func prepare(
    _ connector: Connector,
    _ schema: StoreSchema,
    _ session: WriterSession
  ) throws {
    if try hasOlderForm(connector, schema, session) {
      try connector.retrying { try session.withStoreAlone { try upgrade($0, schema) } }
    }
    let connection = try connector.retrying { try session.live() }
    if try connection.run(schema.hasNodes).number(0, 0) == 0 {
      try connection.run(schema.addressColumn)
    }
    if try connection.run(schema.hasClock).number(0, 0) == 0 {
      try connection.run(schema.addClock)
    }
    try connection.run(schema.writerSweep)
  }

  /// Makes the tables where they are missing; whether an older program has made them.
  private static func hasOlderForm(
    _ connector: Connector,
    _ schema: StoreSchema,
    _ session: WriterSession
  ) throws -> Bool {
    // The lock of a node that was killed ends when the server has noticed.
    let connection = try connector.retrying { try session.live() }
    if try connection.run(schema.isThere).number(0, 0) == 0 { try connection.run(schema.creation) }
    let format = try connection.run(schema.formatQuery).number(0, 0)
    guard format <= StoreSchema.format else { throw StoreSchema.isNewer(format) }
    return format < StoreSchema.format
  }

  /// Brings the tables to this program's form, unless another engine just has.
  private static func upgrade(_ connection: PostgresConnection, _ schema: StoreSchema) throws {
    let format = try connection.run(schema.formatQuery).number(0, 0)
    guard format < StoreSchema.format else { return }
    try connection.run(schema.upgrade)
  }
}
