import BaseStatus
import BaseText
import DocumentStore
import FirestoreModel
import FirestoreWire

// Clones of databases from their history, backups, and schedules of backups.

extension AdminService {
  // MARK: Clones and restores

  func clone(
    _ snapshot: Google_Firestore_Admin_V1_PitrSnapshot,
    as id: DatabaseID
  ) throws -> AdminResponse {
    let source = try DatabaseID(parsing: snapshot.database)
    guard source.project == id.project else {
      throw ServiceError.invalidArgument("A clone must be in the same project.")
    }
    let listing = try listing(of: source)
    let uid = String(decoding: snapshot.databaseUid, as: UTF8.self)
    guard uid.isEmpty || uid == String(listing.incarnation) else {
      throw ServiceError(
        .notFound,
        "The snapshot is not of the database \(source.path)."
      )
    }
    guard let version = snapshot.version else {
      throw ServiceError.invalidArgument(
        "The field pitr_snapshot.snapshot_time is required, in whole microseconds."
      )
    }
    let copy = try permit.startCopy(of: source, at: version, as: id)
    return .operation(copyOperation(copy, of: id))
  }

  func restore(_ name: String, as id: DatabaseID) throws -> AdminResponse {
    let restorer = try requireRestorer()
    let parts = name.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 6, parts[0] == "projects", parts[2] == "locations", parts[4] == "backups"
    else {
      throw ServiceError.invalidArgument("Invalid name of a backup: \"\(name.prefix(300))\".")
    }
    guard parts[1] == id.project.string else {
      throw ServiceError.invalidArgument(
        "A backup can be restored only into a database of the same project."
      )
    }
    try checkLocation(Text(parts[3]))
    let backup = try backup(parts[5], of: id.project)
    guard restorer.holds(backup.version) else {
      throw ServiceError(
        .failedPrecondition,
        "The backup \(parts[5]) is not ready yet. Try again later."
      )
    }
    let copy = try permit.startRestore(of: backup, as: id)
    restorer.restore(backup, as: id, since: copy.start)
    return .operation(copyOperation(copy, of: id))
  }

  private func requireRestorer() throws(ServiceError) -> any DatabaseRestorer {
    guard let restorer else {
      throw ServiceError(
        .failedPrecondition,
        "This server has no backup. Start it with --backup to make and restore backups of databases."
      )
    }
    return restorer
  }

  /// The last part of the name of a copy's operation.
  static func name(of copy: DatabaseCopy) -> String { copy.backup == nil ? "clone" : "restore" }

  func copyOperation(_ copy: DatabaseCopy, of id: DatabaseID) -> AdminResponse.Operation {
    let state: Google_Firestore_Admin_V1_OperationState =
      copy.end == nil ? .processing : copy.failure == nil ? .successful : .failed
    let metadata: AdminResponse.Metadata
    if let backup = copy.backup {
      var message = Google_Firestore_Admin_V1_RestoreDatabaseMetadata()
      message.setTimes(start: copy.start, end: copy.end)
      message.operationState = state
      message.database = id.path
      message.backup = Self.name(ofBackup: backup, of: id.project)
      message.progressPercentage.completedWork = copy.end == nil ? 0 : 100
      message.progressPercentage.estimatedWork = 100
      metadata = .restore(message)
    } else {
      var message = Google_Firestore_Admin_V1_CloneDatabaseMetadata()
      message.setTimes(start: copy.start, end: copy.end, snapshot: copy.version)
      message.operationState = state
      message.database = id.path
      message.pitrSnapshot.database = copy.source.path
      message.progressPercentage.completedWork = Int64(copy.documents)
      metadata = .clone(message)
    }
    return AdminResponse.Operation(
      name: "\(id.path)/operations/\(Self.name(of: copy))",
      metadata: metadata,
      outcome: outcome(of: copy, id)
    )
  }

  private func outcome(of copy: DatabaseCopy, _ id: DatabaseID) -> AdminResponse.Outcome {
    guard copy.end != nil else { return .running }
    if let failure = copy.failure { return .failed(ServiceError(.failedPrecondition, failure)) }
    guard let listing = try? listing(of: id) else { return .empty }
    return .database(.init(listing))
  }

  // MARK: Backups

  /// The server is one location with any name; `-` is every one.
  private static let location: Text = "local"

  private func checkLocation(_ location: Text) throws(ServiceError) {
    guard location == Self.location || location == "-" else {
      throw ServiceError(
        .notFound,
        "The location \(location) does not exist: backups are in \(Self.location)."
      )
    }
  }

  private static func name(ofBackup id: String, of project: Text) -> String {
    "projects/\(project)/locations/\(location)/backups/\(id)"
  }

  private func backup(_ id: String, of project: Text) throws -> DatabaseBackup {
    guard let found = try permit.databaseBackups(of: project).first(where: { $0.id == id }) else {
      throw ServiceError.unknownBackup(id)
    }
    return found
  }

  func performOnBackups(_ call: AdminCall) throws -> AdminResponse {
    switch call {
    case .listBackups(let project, let location, let filter):
      try checkLocation(location)
      guard filter.isEmpty else { throw Self.unsupportedFilter }
      return .backups(try permit.databaseBackups(of: project).map(message))
    case .getBackup(let project, let location, let id):
      try checkLocation(location)
      return .backup(message(try backup(id, of: project)))
    case .deleteBackup(let project, let location, let id):
      try checkLocation(location)
      try permit.deleteDatabaseBackup(id, of: project)
      return .empty
    default: throw ServiceError(.internalError, "This call is not about backups.")
    }
  }

  private func message(_ backup: DatabaseBackup) -> Google_Firestore_Admin_V1_Backup {
    var message = Google_Firestore_Admin_V1_Backup()
    message.name = Self.name(ofBackup: backup.id, of: backup.database.project)
    message.database = backup.database.path
    message.databaseUid = String(backup.incarnation)
    message.setTimes(snapshot: backup.version, expiry: backup.expiry)
    if let restorer {
      message.state = restorer.holds(backup.version) ? .ready : .creating
    } else {
      message.state = .notAvailable
    }
    return message
  }

  // MARK: Schedules

  func performOnSchedules(_ call: AdminCall) throws -> AdminResponse {
    switch call {
    case .listBackupSchedules(let id):
      return .backupSchedules(try permit.backupSchedules(of: id).map { message($0, of: id) })
    case .createBackupSchedule(let id, let message): return try createSchedule(message, of: id)
    case .getBackupSchedule(let id, let name):
      return .backupSchedule(message(try schedule(name, of: id), of: id))
    case .updateBackupSchedule(let id, let name, let message, let mask):
      if let other = mask.first(where: { $0 != "retention" }) {
        throw ServiceError(
          .unimplemented,
          "Only the retention of a backup schedule can be changed, not \(other)."
        )
      }
      let schedule = try permit.updateBackupSchedule(
        name,
        of: id,
        retention: message.retentionSeconds
      )
      return .backupSchedule(self.message(schedule, of: id))
    case .deleteBackupSchedule(let id, let name):
      try permit.deleteBackupSchedule(name, of: id)
      return .empty
    default: throw ServiceError(.internalError, "This call is not about schedules of backups.")
    }
  }

  private func createSchedule(
    _ message: Google_Firestore_Admin_V1_BackupSchedule,
    of id: DatabaseID
  ) throws -> AdminResponse {
    _ = try requireRestorer()
    let day: Int?
    switch message.recurrence {
    case .dailyRecurrence: day = nil
    case .weeklyRecurrence(let weekly):
      guard (1...7).contains(weekly.day.rawValue) else {
        throw ServiceError.invalidArgument("A weekly recurrence needs a day of the week.")
      }
      day = weekly.day.rawValue
    case nil:
      throw ServiceError.invalidArgument(
        "A backup schedule needs a recurrence: daily_recurrence or weekly_recurrence."
      )
    }
    let schedule = try permit.createBackupSchedule(
      of: id,
      retention: message.retentionSeconds,
      day: day
    )
    return .backupSchedule(self.message(schedule, of: id))
  }

  private func schedule(_ name: String, of id: DatabaseID) throws -> BackupSchedule {
    guard let found = try permit.backupSchedules(of: id).first(where: { $0.id == name }) else {
      throw ServiceError(.notFound, "The backup schedule \(name) does not exist.")
    }
    return found
  }

  private func message(
    _ schedule: BackupSchedule,
    of id: DatabaseID
  ) -> Google_Firestore_Admin_V1_BackupSchedule {
    var message = Google_Firestore_Admin_V1_BackupSchedule()
    message.name = "\(id.path)/backupSchedules/\(schedule.id)"
    message.setTimes(created: schedule.created, updated: schedule.updated)
    message.retentionSeconds = schedule.retention
    if let day = schedule.day {
      message.weeklyRecurrence.day = .init(rawValue: day) ?? .unspecified
    } else {
      message.dailyRecurrence = .init()
    }
    return message
  }
}
