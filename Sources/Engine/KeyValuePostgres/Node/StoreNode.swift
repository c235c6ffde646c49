/// A node that shares a store, as it is listed.
package struct StoreNode: Sendable, Hashable {
  /// The name that its operator gave it.
  package let name: String
  /// The address at which other nodes reach it; empty while it is not known.
  package let address: String
  /// True if it is the leader, which does the work that only one node does.
  package let leads: Bool
  /// Seconds since it started.
  package let age: Int64
  /// Seconds since it was heard of.
  package let silence: Int64
  /// True if the value of the key that was asked for is its number.
  package let isNamed: Bool

  /// The nodes of a store that were heard of within a quarter of a minute, the oldest first; one of them may be named by a key.
  package static func all(
    _ configuration: PostgresConfiguration,
    namedBy key: [UInt8] = []
  ) throws -> [StoreNode] {
    let schema = try StoreSchema(name: configuration.schema)
    let connection = try Connector(configuration).connect(for: .views)
    guard try connection.run(schema.hasNodes).number(0, 0) != 0 else { return [] }
    let rows = try connection.run(schema.nodes, [key])
    return try (0..<rows.rowCount).map { row in
      StoreNode(
        name: String(decoding: rows.bytes(row, 0), as: UTF8.self),
        address: String(decoding: rows.bytes(row, 4), as: UTF8.self),
        leads: try BinaryValue.number(rows.bytes(row, 1)) != 0,
        age: try BinaryValue.number(rows.bytes(row, 2)),
        silence: try BinaryValue.number(rows.bytes(row, 3)),
        isNamed: try BinaryValue.number(rows.bytes(row, 5)) != 0
      )
    }
  }
}
