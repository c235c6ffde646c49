import KeyValueStore

/// The connection that groups are written on, with the store's lock.
///
/// `@unchecked Sendable`: the engine's initializer uses it, then the thread of its queue alone, and `close()` after
/// that thread has ended.
final class WriterSession: @unchecked Sendable {
  private let connector: Connector
  private let schema: StoreSchema
  private var connection: PostgresConnection?

  init(_ connector: Connector, _ schema: StoreSchema) {
    self.connector = connector
    self.schema = schema
  }

  /// The connection, opened anew where it was lost.
  ///
  /// Throws `unreachable` where the server is, `locked` where another engine has the store.
  func live() throws -> PostgresConnection {
    if let connection, !connection.isLost { return connection }
    connection = nil
    let opened = try connector.connect(for: .groups)
    guard try opened.run(schema.lockQuery(connector.configuration.sharing)).number(0, 0) == 1 else {
      throw KeyValueError(
        .locked,
        "another node has the store at \(connector.configuration.shownAddress) open"
      )
    }
    connection = opened
    return opened
  }

  /// Ends the connection; the store's lock goes with it.
  func close() { connection = nil }
}
