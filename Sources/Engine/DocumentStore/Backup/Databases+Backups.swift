import BaseStatus
import BaseText
import FirestoreModel
import KeyValueStore

// Backups of databases by schedule. A backup is an instant that the server's own backup keeps; a database's records say which.

extension Databases {
  /// The longest retention of a schedule in seconds: fourteen weeks.
  private static let longestRetention: Int64 = 14 * 7 * 86_400

  /// The schedules of a database; NOT_FOUND where there is no such database.
  package func backupSchedules(of id: DatabaseID) throws -> [BackupSchedule] {
    try engine.read { reader in
      try Self.requireDatabase(id, in: reader)
      return try Self.schedules(of: id, in: reader)
    }
  }

  /// Makes a schedule; a database has one for every day and one for a day of the week at most.
  ///
  /// - Parameter day: 1 is Monday, 7 Sunday; nil is every day.
  package func createBackupSchedule(
    of id: DatabaseID,
    retention: Int64,
    day: Int?
  ) throws -> BackupSchedule {
    try Self.check(retention: retention)
    let name = Self.randomID(configuration.random)
    return try engine.write { group in
      try Self.requireDatabase(id, in: group)
      let others = try Self.schedules(of: id, in: group)
      guard !others.contains(where: { ($0.day == nil) == (day == nil) }) else {
        throw ServiceError(
          .alreadyExists,
          "The database already has a \(day == nil ? "daily" : "weekly") backup schedule."
        )
      }
      let version = CommitVersion(microseconds: try group.allocateVersion())
      let schedule = BackupSchedule(id: name, created: version, retention: retention, day: day)
      try group.put(MetaKey.backupSchedule(name, of: id), schedule.record)
      return schedule
    }
  }

  /// Changes the retention of the backups that a schedule makes from now on.
  package func updateBackupSchedule(
    _ name: String,
    of id: DatabaseID,
    retention: Int64
  ) throws -> BackupSchedule {
    try Self.check(retention: retention)
    return try engine.write { group in
      var schedule = try Self.schedule(name, of: id, in: group)
      schedule.retention = retention
      schedule.updated = CommitVersion(microseconds: try group.allocateVersion())
      try group.put(MetaKey.backupSchedule(name, of: id), schedule.record)
      return schedule
    }
  }

  /// Ends a schedule; the backups that it made stay until they expire.
  package func deleteBackupSchedule(_ name: String, of id: DatabaseID) throws {
    try engine.write { group in
      _ = try Self.schedule(name, of: id, in: group)
      try group.delete(MetaKey.backupSchedule(name, of: id))
    }
  }

  /// The backups of a project, or of all, that have not expired.
  package func databaseBackups(of project: Text?) throws -> [DatabaseBackup] {
    let now = configuration.wallClock.now()
    return try engine.read { try Self.backups(of: project, in: $0) }
      .filter { $0.expiry.microseconds > now }
  }

  /// Gives a backup up; NOT_FOUND where there is none of that id.
  package func deleteDatabaseBackup(_ name: String, of project: Text) throws {
    try engine.write { group in
      let key = MetaKey.databaseBackup(name, of: project)
      guard try group.get(key) != nil else { throw ServiceError.unknownBackup(name) }
      try group.delete(key)
    }
  }

  /// Makes the backups that are due and forgets those that have expired and the schedules of databases that are gone; returns
  /// the number of backups made.
  package func makeDueBackups() throws -> Int {
    let now = configuration.wallClock.now()
    let (schedules, expired) = try engine.read { reader in
      (
        try Self.allSchedules(in: reader).filter { id, schedule in
          try schedule.isDue(at: now)
            || DatabaseCatalog.incarnation(of: id, in: reader) == nil
        },
        try Self.backups(of: nil, in: reader).filter { $0.expiry.microseconds <= now }
      )
    }
    guard !schedules.isEmpty || !expired.isEmpty else { return 0 }
    let names = schedules.map { _ in Self.randomID(configuration.random) }
    return try engine.write { group in
      for backup in expired {
        try group.delete(MetaKey.databaseBackup(backup.id, of: backup.database.project))
      }
      var made = 0
      for ((id, schedule), name) in zip(schedules, names) {
        let key = MetaKey.backupSchedule(schedule.id, of: id)
        guard let incarnation = try DatabaseCatalog.incarnation(of: id, in: group) else {
          try group.delete(key)
          continue
        }
        let version = CommitVersion(microseconds: try group.allocateVersion())
        let backup = DatabaseBackup(
          id: name,
          of: id,
          incarnation,
          at: version,
          until: CommitVersion(microseconds: now + schedule.retention * 1_000_000)
        )
        try group.put(MetaKey.databaseBackup(name, of: id.project), backup.record)
        var next = schedule
        next.last = now
        try group.put(key, next.record)
        made += 1
      }
      return made
    }
  }
}

// Records.
extension Databases {
  private static func check(retention: Int64) throws(ServiceError) {
    guard (1...longestRetention).contains(retention) else {
      throw .invalidArgument("The retention of a backup must be between 1 second and 14 weeks.")
    }
  }

  private static func requireDatabase(_ id: DatabaseID, in reader: any KeyValueReader) throws {
    guard try DatabaseCatalog.incarnation(of: id, in: reader) != nil else {
      throw ServiceError.unknownDatabase(id)
    }
  }

  private static func randomID(_ random: @Sendable () -> UInt64) -> String {
    let digits = [random(), random()].map { number in
      let text = String(number, radix: 16)
      return String(repeating: "0", count: 16 - text.utf8.count) + text
    }
    return digits.joined()
  }

  private static func schedule(
    _ name: String,
    of id: DatabaseID,
    in reader: any KeyValueReader
  ) throws -> BackupSchedule {
    guard let record = try reader.get(MetaKey.backupSchedule(name, of: id)) else {
      throw ServiceError(.notFound, "The backup schedule \(name) does not exist.")
    }
    return try BackupSchedule(id: name, record: record)
  }

  private static func schedules(
    of id: DatabaseID,
    in reader: any KeyValueReader
  ) throws -> [BackupSchedule] {
    try allSchedules(below: MetaKey.backupSchedules(of: id), in: reader).map(\.1)
  }

  private static func allSchedules(
    below prefix: [UInt8] = MetaKey.allBackupSchedules,
    in reader: any KeyValueReader
  ) throws -> [(DatabaseID, BackupSchedule)] {
    let cursor = try reader.cursor(over: KeyRange(prefix: prefix), reversed: false)
    var found: [(DatabaseID, BackupSchedule)] = []
    while try cursor.next() {
      guard let (id, name) = MetaKey.schedule(ofKey: cursor.key) else { continue }
      found.append((id, try BackupSchedule(id: name, record: Array(cursor.value))))
    }
    return found
  }

  private static func backups(
    of project: Text?,
    in reader: any KeyValueReader
  ) throws -> [DatabaseBackup] {
    let prefix = project.map(MetaKey.databaseBackups(of:)) ?? MetaKey.allDatabaseBackups
    let cursor = try reader.cursor(over: KeyRange(prefix: prefix), reversed: false)
    var found: [DatabaseBackup] = []
    while try cursor.next() {
      guard let (project, name) = MetaKey.backup(ofKey: cursor.key) else { continue }
      found.append(try DatabaseBackup(project, id: name, record: Array(cursor.value)))
    }
    return found
  }
}

extension ServiceError {
  /// NOT_FOUND for a backup that there is not.
  package static func unknownBackup(_ name: String) -> ServiceError {
    ServiceError(.notFound, "The backup \(name) does not exist.")
  }
}
