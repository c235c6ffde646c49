import KeyValueStore

/// A node that shares a store, as it is listed.
package struct StoreNode: Sendable, Hashable {
  /// What its operator knows it by.
  package let name: String
  /// Where other nodes reach it; empty while it is not known.
  package let address: String
  /// Whether it does what only one node does.
  package let leads: Bool
  /// Seconds since it started.
  package let age: Int64
  /// Seconds since it was heard of.
  package let silence: Int64

  /// The nodes of a store that were heard of within a quarter of a minute, the oldest first.
  package static func all(_ configuration: PostgresConfiguration) throws -> [StoreNode] {
    let schema = try StoreSchema(name: configuration.schema)
    let connection = try Connector(configuration).connect(for: .views)
    guard try connection.run(schema.hasNodes).number(0, 0) != 0 else { return [] }
    let rows = try connection.run(schema.nodes)
    return try (0..<rows.rowCount).map { row in
      StoreNode(
        name: String(decoding: rows.bytes(row, 0), as: UTF8.self),
        address: String(decoding: rows.bytes(row, 4), as: UTF8.self),
        leads: try rows.number(row, 1) != 0,
        age: try rows.number(row, 2),
        silence: try rows.number(row, 3)
      )
    }
  }
}
