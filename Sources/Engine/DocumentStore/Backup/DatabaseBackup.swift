import BaseText
import FirestoreModel
import KeyValueStore

/// A database as it was at a version, which the server's backup has until the backup expires.
///
/// FORMAT: `MetaKey.databaseBackup`. The value is a `RecordWriter`'s: 1 the database's id, 2 its incarnation, 3 the version, 4 the
/// end in microseconds since 1970.
package struct DatabaseBackup: Sendable, Equatable {
  /// Unique in the project.
  package let id: String
  /// The database that was backed up, which may be gone.
  package let database: DatabaseID
  /// The life of the database that was backed up.
  package let incarnation: Incarnation
  /// The version that the backup has.
  package let version: CommitVersion
  /// The time at which the backup expires.
  package let expiry: CommitVersion

  var record: [UInt8] {
    var writer = RecordWriter()
    writer.put(1, database.database.string)
    writer.put(2, Int64(incarnation))
    writer.put(3, version.microseconds)
    writer.put(4, expiry.microseconds)
    return writer.bytes
  }

  init(
    id: String,
    of database: DatabaseID,
    _ incarnation: Incarnation,
    at version: CommitVersion,
    until expiry: CommitVersion
  ) {
    (self.id, self.database, self.incarnation) = (id, database, incarnation)
    (self.version, self.expiry) = (version, expiry)
  }

  init(_ project: Text, id: String, record: [UInt8]) throws {
    var reader = try RecordReader(record)
    var database: Text = ""
    var numbers: [UInt8: Int64] = [:]
    while let field = try reader.next() {
      if field.tag == 1 {
        database = Text(try field.string())
      } else {
        numbers[field.tag] = try field.number()
      }
    }
    self.init(
      id: id,
      of: DatabaseID(project: project, database: database),
      Incarnation(truncatingIfNeeded: numbers[2] ?? 0),
      at: CommitVersion(microseconds: numbers[3] ?? 0),
      until: CommitVersion(microseconds: numbers[4] ?? 0)
    )
  }
}

/// The times at which backups of a database are made.
///
/// FORMAT: `MetaKey.backupSchedule`. The value is a `RecordWriter`'s: 1 the versions at which it was made and 2 changed, 3 the
/// retention in seconds, 4 the day of the week (none is every day), 5 the last backup in microseconds since 1970.
package struct BackupSchedule: Sendable, Equatable {
  /// Unique in the database.
  package let id: String
  /// The time at which the schedule was created.
  package let created: CommitVersion
  /// The time of the schedule's last change.
  package internal(set) var updated: CommitVersion
  /// Seconds for which each backup is kept.
  package internal(set) var retention: Int64
  /// 1 is Monday, 7 Sunday, in UTC; nil is every day.
  package let day: Int?
  /// Microseconds since 1970; nil before the first backup.
  var last: Int64?

  var record: [UInt8] {
    var writer = RecordWriter()
    writer.put(1, created.microseconds)
    writer.put(2, updated.microseconds)
    writer.put(3, retention)
    writer.put(4, day.map(Int64.init))
    writer.put(5, last)
    return writer.bytes
  }

  init(id: String, created: CommitVersion, retention: Int64, day: Int?) {
    (self.id, self.created, updated) = (id, created, created)
    (self.retention, self.day) = (retention, day)
  }

  init(id: String, record: [UInt8]) throws {
    var reader = try RecordReader(record)
    var numbers: [UInt8: Int64] = [:]
    while let field = try reader.next() { numbers[field.tag] = try field.number() }
    self.init(
      id: id,
      created: CommitVersion(microseconds: numbers[1] ?? 0),
      retention: numbers[3] ?? 0,
      day: numbers[4].map(Int.init)
    )
    updated = CommitVersion(microseconds: numbers[2] ?? 0)
    last = numbers[5]
  }

  private static let dayLength: Int64 = 86_400_000_000

  /// True where a backup is to be made: the first one of a day in UTC.
  func isDue(at now: Int64) -> Bool {
    let today = now / Self.dayLength
    // The first day of 1970 was a Thursday.
    if let day, Int((today + 3) % 7) + 1 != day { return false }
    return last.map { $0 / Self.dayLength != today } ?? true
  }
}
