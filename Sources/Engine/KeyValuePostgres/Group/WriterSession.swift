import KeyValueStore

/// The connection that groups are written on, with the store's lock.
///
/// `@unchecked Sendable`: the engine's initializer uses it, then the thread of its queue alone, and `close()` after
/// that thread has ended.
final class WriterSession: @unchecked Sendable {
  private let connector: Connector
  private let schema: StoreSchema
  private var connection: PostgresConnection?
  /// True if the tables are known to have had the program's form.
  private var hasBegun = false

  init(_ connector: Connector, _ schema: StoreSchema) {
    self.connector = connector
    self.schema = schema
  }

  /// The connection, reopened after a loss.
  ///
  /// Throws `unreachable` if the server is, `locked` if another engine has the store, and
  /// `newerFormat` if an engine of a newer program has changed its tables.
  func live() throws -> PostgresConnection {
    if let connection, !connection.isLost { return connection }
    connection = nil
    guard let opened = try open(connector.configuration.sharing) else {
      throw KeyValueError(
        .locked,
        "another node has the store at \(connector.configuration.shownAddress) open"
      )
    }
    if hasBegun {
      let format = try opened.run(schema.formatQuery).number(0, 0)
      guard format == StoreSchema.format else { throw StoreSchema.isNewer(format) }
    }
    connection = opened
    return opened
  }

  /// The tables have the program's format: each reopened connection checks that they still do.
  func begin() { hasBegun = true }

  /// Runs a body on a connection while no engine has the store, this one neither; throws `locked` where one has.
  func withStoreAlone(_ body: (PostgresConnection) throws -> Void) throws {
    connection = nil
    guard let alone = try open(.exclusive) else {
      throw KeyValueError(
        .locked,
        """
        nodes of an older version have the store at \(connector.configuration.shownAddress) open, and this version has changed its \
        tables. Stop all of them, then start this node
        """
      )
    }
    try body(alone)
  }

  /// A connection that has the store's lock; nil where another engine is in its way.
  private func open(_ sharing: PostgresConfiguration.Sharing) throws -> PostgresConnection? {
    let opened = try connector.connect(for: .groups)
    return try opened.run(schema.lockQuery(sharing)).number(0, 0) == 1 ? opened : nil
  }

  /// Ends the connection; the store's lock goes with it.
  func close() { connection = nil }
}
