import FirestoreModel
import FirestoreWire

extension AdminCall {
  /// The act and its object for the audit trail, where the path alone does not say them; never contents.
  var subject: String? {
    switch self {
    case .createDatabase(let id, _): "create database \(id.database)"
    case .updateDatabase(let id, let message, let mask):
      Self.change(of: id, message, mask)
    case .bulkDeleteDocuments(_, let groups):
      groups.isEmpty
        ? "delete all documents"
        : "delete the documents of \(groups.map(\.string).joined(separator: ", "))"
    case .cloneDatabase(let id, let snapshot):
      "clone \(snapshot.database) as database \(id.database)"
    case .restoreDatabase(let id, let backup): "restore \(backup) as database \(id.database)"
    case .createBackupSchedule(let id, let message):
      "back up database \(id.database), kept for \(message.retentionSeconds) s"
    case .updateBackupSchedule(let id, _, let message, _):
      "keep backups of database \(id.database) for \(message.retentionSeconds) s"
    case .listDatabases, .getDatabase, .deleteDatabase, .listIndexes, .createIndex, .getIndex,
      .deleteIndex, .listFields, .getField, .updateField, .listOperations, .getOperation,
      .listBackups, .getBackup, .deleteBackup, .listBackupSchedules, .getBackupSchedule,
      .deleteBackupSchedule:
      nil
    }
  }

  private static func change(
    of id: DatabaseID,
    _ message: Google_Firestore_Admin_V1_Database,
    _ mask: [String]
  ) -> String? {
    var changes: [String] = []
    if message.deleteProtectionState != .unspecified || mask.contains("delete_protection_state") {
      let isOn = message.deleteProtectionState == .deleteProtectionEnabled
      changes.append("\(isOn ? "protect from" : "allow") deletion")
    }
    let recovery = message.pointInTimeRecoveryEnablement
    if recovery != .unspecified || mask.contains("point_in_time_recovery_enablement") {
      let isOn = recovery == .pointInTimeRecoveryEnabled
      changes.append("\(isOn ? "keep" : "drop") a week of history")
    }
    return changes.isEmpty ? nil : "\(changes.joined(separator: ", ")) of database \(id.database)"
  }
}
