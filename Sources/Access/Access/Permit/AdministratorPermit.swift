import BaseStatus
import BaseText
import DocumentStore
import FirestoreModel

/// An administrator's right to all databases, or to those of one project: to list, make, clear and delete them, and
/// to everything in them.
///
/// Given out by `AccessControl` alone. Any thread may call; calls may touch the disk, and throw PERMISSION_DENIED for a
/// database of another project.
package struct AdministratorPermit: Sendable {
  private let databases: Databases
  /// The only project that it is for; nil is for all.
  private let project: Text?

  init(_ databases: Databases, of project: Text? = nil) {
    self.databases = databases
    self.project = project
  }

  /// The databases by id.
  package func listDatabases() throws -> [DatabaseListing] {
    try databases.listDatabases().filter { covers($0.id.project) }
  }

  /// The database of that id; made on first use where the store's configuration says so.
  package func database(_ id: DatabaseID) throws -> Database {
    try check(id.project)
    return try databases.database(id)
  }

  /// The database of that id; throws NOT_FOUND where there is none, and makes none.
  package func existingDatabase(_ id: DatabaseID) throws -> Database {
    try check(id.project)
    guard let database = try databases.existingDatabase(id) else {
      throw ServiceError.unknownDatabase(id)
    }
    return database
  }

  /// The database of that id; a project's default one is made where there is none, whatever the configuration says.
  package func databaseOnFirstUse(_ id: DatabaseID) throws -> Database {
    try check(id.project)
    if let existing = try databases.existingDatabase(id) { return existing }
    return id.isDefault ? try databases.createDatabase(id) : try databases.database(id)
  }

  /// Makes a database; refuses an id that is taken or malformed.
  package func createDatabase(_ id: DatabaseID) throws {
    try check(id.project)
    _ = try databases.createDatabase(id)
  }

  /// Protects a database from deletion, or ends that.
  package func protect(_ id: DatabaseID, _ isProtected: Bool) throws {
    try check(id.project)
    try databases.protect(id, isProtected)
  }

  /// Deletes a database with everything in it; refuses a protected one.
  package func deleteDatabase(_ id: DatabaseID) throws {
    try check(id.project)
    try databases.deleteDatabase(id)
  }

  /// Empties a database but for its index definitions, at once and as a whole.
  package func clear(_ id: DatabaseID) throws {
    try check(id.project)
    try databases.clear(id)
  }

  private func covers(_ other: Text) -> Bool { project == nil || project == other }

  /// Throws PERMISSION_DENIED where the permit is for another project.
  func check(_ project: Text) throws(ServiceError) {
    guard covers(project) else { throw AccessControl.denied }
  }
}
