import BaseRuntime
import KeyValueStore

/// Tracks how far an engine knows the log of groups, and notifies observers of other engines'
/// writes.
///
/// The log has a row for each group of engines that share a store, numbered without gaps under the
/// timeline's lock. A row that is missing was trimmed, or written by an engine that had the store
/// alone and logs nothing: then everything in memory may be out of date.
///
/// **Order.** One thread at a time notifies. It never does while a group of this engine is in
/// flight, from its start until its completions have run. A thread that starts a group has seen all
/// groups before it, no other group commits until it has landed, and later ones wait for its
/// completions. So memory follows the order of the log.
///
/// `@unchecked Sendable`: the mutable state is used under the condition's lock, except `observers`,
/// which only the notifying thread uses.
final class GroupLog: @unchecked Sendable {
  private struct Observer {
    let ranges: [KeyRange]
    let tell: OtherWritesObserver
  }

  private let schema: StoreSchema
  private let condition = ThreadCondition()
  /// Observers have received every group up to this one.
  private var known: Int64 = 0
  private var isTelling = false
  /// The number of the engine's own group in flight.
  private var own: Int64?
  private var hasOwnLanded = false
  private var observers: [Observer] = []

  /// The largest lag in groups; an engine that is further behind reads everything again.
  private static let longestLag: Int64 = 10_000

  init(_ schema: StoreSchema) { self.schema = schema }

  /// Sets the group behind which memory begins, before anything is read.
  func begin(at number: Int64) { condition.withLock { known = number } }

  /// The number of the last group that observers have received.
  var mark: Int64 { condition.withLock { known } }

  /// Throws where a view that began after `mark` was taken lacks a group up to it: its server is behind another one, or has lost what that one
  /// had.
  func check(_ row: TimelineRow, since mark: Int64) throws {
    guard row.log < mark else { return }
    throw KeyValueError(
      .unreachable,
      "the PostgreSQL server has not all that was read before (group \(row.log) of \(mark)): it is behind, or took another one's place"
    )
  }

  /// Returns when observers have received everything that a view shows.
  func learn(_ row: TimelineRow, on connection: PostgresConnection) throws {
    try telling(row, isWriter: false) { try tell(upTo: row, on: connection) }
  }

  /// Does the same as `learn` for a group that has just locked the row, which is in flight after
  /// that.
  ///
  /// If the row's server has lost groups that observers have received, they are notified that
  /// nothing is known.
  func beginGroup(_ row: TimelineRow, on connection: PostgresConnection) throws {
    let isBehind = condition.withLock { row.log < known }
    try telling(row, isWriter: true, mustTell: isBehind) {
      if isBehind { try tellLoss(row, on: connection) } else { try tell(upTo: row, on: connection) }
    }
    condition.withLock { (own, hasOwnLanded) = (row.log + 1, false) }
  }

  /// The group in flight is durable.
  func groupLanded() {
    condition.withLock {
      hasOwnLanded = true
      condition.broadcast()
    }
  }

  /// The group in flight, if there is one, has ended, and its completions have run.
  func groupSettled() {
    condition.withLock {
      if hasOwnLanded, let own { known = own }
      (own, hasOwnLanded) = (nil, false)
      condition.broadcast()
    }
  }

  /// Adds an observer and tells it that nothing is known; false where the view is older than what was told.
  func add(
    _ ranges: [KeyRange],
    _ observer: @escaping OtherWritesObserver,
    _ row: TimelineRow,
    on connection: PostgresConnection
  ) throws -> Bool {
    guard takeTurn(upTo: nil, isWriter: false) else { return false }
    defer { endTurn() }
    guard condition.withLock({ known }) <= row.log else { return false }
    try tell(upTo: row, on: connection)
    try observer(.unknown, reader(row, connection))
    observers.append(Observer(ranges: ranges, tell: observer))
    return true
  }

  private func telling(
    _ row: TimelineRow,
    isWriter: Bool,
    mustTell: Bool = false,
    _ body: () throws -> Void
  ) throws {
    guard takeTurn(upTo: mustTell ? nil : row.log, isWriter: isWriter) else { return }
    defer { endTurn() }
    try body()
  }

  /// Waits for the turn to tell; false where there is nothing to tell any more up to that group.
  private func takeTurn(upTo number: Int64?, isWriter: Bool) -> Bool {
    condition.withLock {
      while true {
        // No group begins while somebody tells of the ones before.
        let mustWait = isTelling || (own != nil && !isWriter)
        if let number, isKnown(number), !isWriter || !mustWait { return false }
        if !mustWait {
          isTelling = true
          return true
        }
        condition.wait()
      }
    }
  }

  /// Returns true if there is nothing to notify of up to a group; called under the lock.
  ///
  /// The number of the group in flight is another engine's until that group is known to have
  /// landed: the store may have ended it, and given its number to the next one.
  private func isKnown(_ number: Int64) -> Bool {
    number <= known || number == own && hasOwnLanded
  }

  private func endTurn() {
    condition.withLock {
      isTelling = false
      condition.broadcast()
    }
  }

  private func tell(upTo row: TimelineRow, on connection: PostgresConnection) throws {
    let known = condition.withLock { self.known }
    guard row.log > known else { return }
    let writes = try read(from: known, to: row.log, on: connection)
    for observer in observers {
      guard let part = writes.within(observer.ranges) else { continue }
      try observer.tell(part, reader(row, connection))
    }
    condition.withLock { self.known = row.log }
  }

  private func tellLoss(_ row: TimelineRow, on connection: PostgresConnection) throws {
    for observer in observers { try observer.tell(.unknown, reader(row, connection)) }
    condition.withLock { known = row.log }
  }

  private func read(
    from known: Int64,
    to last: Int64,
    on connection: PostgresConnection
  ) throws -> OtherWrites {
    guard !observers.isEmpty, last - known <= Self.longestLag else { return .unknown }
    let rows = try connection.run(
      schema.logRows,
      [BinaryValue.number(known), BinaryValue.number(last)]
    )
    guard Int64(rows.rowCount) == last - known else { return .unknown }
    return .groups(
      try (0..<rows.rowCount).map { row in
        OtherWrites.Group(
          version: try BinaryValue.number(rows.bytes(row, 0)),
          keys: try LoggedKeys.decode(rows.bytes(row, 1))
        )
      }
    )
  }

  private func reader(_ row: TimelineRow, _ connection: PostgresConnection) -> any KeyValueReader {
    LogReader(TableReader(connection, schema, hasLongKeys: row.hasLongKeys))
  }
}

/// The store as it is behind the last group of which observers hear.
private final class LogReader: TableReading {
  let reader: TableReader

  init(_ reader: TableReader) { self.reader = reader }
}
