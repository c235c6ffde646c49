import KeyValueStore

/// A look at single records of a store in PostgreSQL, without its lock and without writing anything.
///
/// Nodes may have the store open. One thread at a time.
package struct PostgresInspection {
  private let reader: TableReader
  /// The form of the tables.
  package let format: Int64

  /// The form that the tables get where an engine opens the store.
  package static let currentFormat = StoreSchema.format

  /// Connects to a store that has been used before.
  ///
  /// - Throws: `newerFormat` where a later program has written the store, `foreign` where there is none.
  package init(_ configuration: PostgresConfiguration) throws {
    let schema = try StoreSchema(name: configuration.schema)
    let connection = try Connector(configuration).connect(for: .views)
    guard try connection.run(schema.isThere).number(0, 0) != 0 else {
      throw KeyValueError(.foreign, "there is no store at \(configuration.shownAddress)")
    }
    format = try connection.run(schema.formatQuery).number(0, 0)
    guard format <= StoreSchema.format else { throw StoreSchema.isNewer(format) }
    reader = TableReader(connection, schema, hasLongKeys: false)
  }

  /// Reads a record; blocks.
  package func get(_ key: [UInt8]) throws -> [UInt8]? { try reader.get(key) }
}
