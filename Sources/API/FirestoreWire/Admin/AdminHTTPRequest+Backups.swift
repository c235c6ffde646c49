import BaseStatus
import BaseText
import FirestoreModel

// Requests about copies of databases: clones, backups and their schedules.

extension AdminHTTPRequest {
  /// A verb behind `databases`.
  func verb(_ segment: String, project: Text) throws(ServiceError) -> AdminCall {
    guard method == "POST" else { throw unimplemented }
    try refuseParameters()
    switch segment {
    case "databases:clone":
      let request: Google_Firestore_Admin_V1_CloneDatabaseRequest =
        try message("CloneDatabaseRequest", at: "")
      return try .clone(request, in: project)
    case "databases:restore":
      let request: Google_Firestore_Admin_V1_RestoreDatabaseRequest =
        try message("RestoreDatabaseRequest", at: "")
      return try .restore(request, in: project)
    default: throw unimplemented
    }
  }

  /// Backups below a location.
  func backups(_ segments: [String]) throws(ServiceError) -> AdminCall {
    let (project, location) = (Text(segments[1]), Text(segments[3]))
    switch (method, segments.count) {
    case ("GET", 5):
      let values = try parameters(of: "ListBackupsRequest", except: ["parent"])
      return .listBackups(project: project, location: location, filter: values["filter"] ?? "")
    case ("GET", 6):
      try refuseParameters()
      return .getBackup(project: project, location: location, id: segments[5])
    case ("DELETE", 6):
      try refuseParameters()
      return .deleteBackup(project: project, location: location, id: segments[5])
    default: throw unimplemented
    }
  }

  /// Schedules of a database, with what follows `backupSchedules` in the path.
  func backupSchedules(
    of database: DatabaseID,
    _ rest: [String]
  ) throws(ServiceError) -> AdminCall {
    if method == "PATCH", rest.count == 1 {
      let values = try parameters(of: "UpdateBackupScheduleRequest", except: ["backup_schedule"])
      return .updateBackupSchedule(
        database,
        id: rest[0],
        try message("BackupSchedule", at: "backup_schedule"),
        mask: Self.mask(values["update_mask"])
      )
    }
    try refuseParameters()
    switch (method, rest.count) {
    case ("GET", 0): return .listBackupSchedules(database)
    case ("POST", 0):
      return .createBackupSchedule(database, try message("BackupSchedule", at: "backup_schedule"))
    case ("GET", 1): return .getBackupSchedule(database, id: rest[0])
    case ("DELETE", 1): return .deleteBackupSchedule(database, id: rest[0])
    default: throw unimplemented
    }
  }
}

extension AdminCall {
  static func clone(
    _ request: Google_Firestore_Admin_V1_CloneDatabaseRequest,
    in project: Text
  ) throws(ServiceError) -> AdminCall {
    guard request.hasPitrSnapshot else {
      throw .invalidArgument("The field pitr_snapshot is required.")
    }
    return .cloneDatabase(try newDatabase(request.databaseID, project), request.pitrSnapshot)
  }

  static func restore(
    _ request: Google_Firestore_Admin_V1_RestoreDatabaseRequest,
    in project: Text
  ) throws(ServiceError) -> AdminCall {
    .restoreDatabase(try newDatabase(request.databaseID, project), backup: request.backup)
  }

  private static func newDatabase(
    _ id: String,
    _ project: Text
  ) throws(ServiceError) -> DatabaseID {
    guard !id.isEmpty else { throw .invalidArgument("The field database_id is required.") }
    return DatabaseID(project: project, database: Text(id))
  }
}
