import DocumentStore
import FirestoreModel

/// An administrator's right to all databases: to list, make, clear and delete them, and to everything
/// in them.
///
/// Given out by `AccessControl` alone. Any thread may call; calls may touch the disk.
package struct AdministratorPermit: Sendable {
  private let databases: Databases

  init(_ databases: Databases) { self.databases = databases }

  /// All databases by id.
  package func listDatabases() throws -> [DatabaseListing] { try databases.listDatabases() }

  /// The database of that id; made on first use where the store's configuration says so.
  package func database(_ id: DatabaseID) throws -> Database { try databases.database(id) }

  /// The database of that id; a project's default one is made where there is none, whatever the configuration says.
  package func databaseOnFirstUse(_ id: DatabaseID) throws -> Database {
    if let existing = try databases.existingDatabase(id) { return existing }
    return id.isDefault ? try databases.createDatabase(id) : try databases.database(id)
  }

  /// Makes a database; refuses an id that is taken or malformed.
  package func createDatabase(_ id: DatabaseID) throws { _ = try databases.createDatabase(id) }

  /// Deletes a database with everything in it.
  package func deleteDatabase(_ id: DatabaseID) throws { try databases.deleteDatabase(id) }

  /// Empties a database but for its index definitions, at once and as a whole.
  package func clear(_ id: DatabaseID) throws { try databases.clear(id) }
}
