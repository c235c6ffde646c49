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

  /// Notes that the store was brought back from a backup just now.
  package func noteRestore() throws { try databases.noteRestore() }

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

  /// The database of that ID; a project's default one is created if it does not exist, with any
  /// configuration.
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

  /// Keeps a database's history for a week, or for the usual time again.
  package func recoverPast(_ id: DatabaseID, _ recoversPast: Bool) throws {
    try check(id.project)
    try databases.recoverPast(id, recoversPast)
  }

  /// Makes a database with what another one had at a version, in the background.
  package func startCopy(
    of source: DatabaseID,
    at version: CommitVersion,
    as id: DatabaseID
  ) throws -> DatabaseCopy {
    try check(source.project)
    try check(id.project)
    return try databases.startCopy(of: source, at: version, as: id)
  }

  /// The copies and restores that made databases, by database.
  package func databaseCopies() throws -> [(database: DatabaseID, copy: DatabaseCopy)] {
    try databases.databaseCopies().filter { covers($0.database.project) }
  }

  /// Throws unless the restore that began at that version still fills the database.
  package func checkFill(_ fill: CommitVersion, of id: DatabaseID) throws {
    try check(id.project)
    try databases.checkFill(fill, of: id)
  }

  /// Makes an empty database that is filled from a backup.
  package func startRestore(of backup: DatabaseBackup, as id: DatabaseID) throws -> DatabaseCopy {
    try check(backup.database.project)
    try check(id.project)
    return try databases.startRestore(of: backup, as: id)
  }

  /// The backups of a project's databases that have not expired.
  package func databaseBackups(of project: Text) throws -> [DatabaseBackup] {
    try check(project)
    return try databases.databaseBackups(of: project)
  }

  /// Gives a backup up.
  package func deleteDatabaseBackup(_ name: String, of project: Text) throws {
    try check(project)
    try databases.deleteDatabaseBackup(name, of: project)
  }

  /// The schedules by which backups of a database are made.
  package func backupSchedules(of id: DatabaseID) throws -> [BackupSchedule] {
    try check(id.project)
    return try databases.backupSchedules(of: id)
  }

  /// Makes a schedule of backups; 1 is Monday, 7 Sunday, and nil is every day.
  package func createBackupSchedule(
    of id: DatabaseID,
    retention: Int64,
    day: Int?
  ) throws -> BackupSchedule {
    try check(id.project)
    return try databases.createBackupSchedule(of: id, retention: retention, day: day)
  }

  /// Changes the retention of a schedule's next backups.
  package func updateBackupSchedule(
    _ name: String,
    of id: DatabaseID,
    retention: Int64
  ) throws -> BackupSchedule {
    try check(id.project)
    return try databases.updateBackupSchedule(name, of: id, retention: retention)
  }

  /// Ends a schedule.
  package func deleteBackupSchedule(_ name: String, of id: DatabaseID) throws {
    try check(id.project)
    try databases.deleteBackupSchedule(name, of: id)
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
