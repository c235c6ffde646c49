/// The schemas in which whole stores of a database are kept: they appear, change their names and
/// go.
///
/// No engine may have a store open that is renamed or dropped.
package struct SchemaPlaces {
  private let connection: PostgresConnection

  /// The schemas of the database at the configuration's address.
  package init(_ configuration: PostgresConfiguration) throws {
    let connector = try Connector(configuration)
    connection = try connector.connect(for: .views)
  }

  /// Returns true if there is a store in a schema.
  package func hasStore(_ name: String) throws -> Bool {
    try connection.run(StoreSchema(name: name).isThere).number(0, 0) != 0
  }

  /// Gives a schema another name, at once.
  package func rename(_ name: String, to other: String) throws {
    let (old, new) = try (StoreSchema(name: name).name, StoreSchema(name: other).name)
    try connection.run("ALTER SCHEMA \(old) RENAME TO \(new)")
  }

  /// Removes a schema and all that is in it, if it is there.
  package func drop(_ name: String) throws {
    try connection.run("DROP SCHEMA IF EXISTS \(StoreSchema(name: name).name) CASCADE")
  }
}
