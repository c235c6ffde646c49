import BaseText
import FirestoreModel

/// The keys of the store's metadata.
///
/// Keys are `0x01, kind byte`, then by kind:
///
/// - 0x01 format version; value: 4 bytes. A store with a greater one is refused, untouched.
/// - 0x02 catalog: project segment, database segment; value: incarnation (4 bytes), creation
///   version (8 bytes), and where it is not 0 a byte of bits: 1 the database is protected from
///   deletion, 2 history is kept for a week.
/// - 0x03 the greatest incarnation ever given out; value: 4 bytes.
/// - 0x04 retired incarnation whose keys are still to be erased: incarnation; value: a marker.
/// - 0x05 history floor: incarnation; value: version (8 bytes) below which history may be gone.
/// - 0x06 bulk deletion: incarnation, number (8 bytes); values as `BulkDeletion` documents.
/// - 0x07 copy of another database: incarnation; value as `DatabaseCopy` documents.
/// - 0x08 backup schedule: project segment, database segment, id segment; value as `BackupSchedule` documents.
/// - 0x09 backup of a database: project segment, id segment; value as `DatabaseBackup` documents.
/// - 0x0A restore: the version (8 bytes) at which the store was restored from a backup; none where it never was.
/// - 0x10 index definitions and their states: incarnation, then as `Index/` documents.
/// - 0x20 rulesets, 0x21 releases of security rules: project segment, ruleset id or release name
///   segment; values as `Access/Rules/RulesetCatalog.swift` documents.
package enum MetaKey {
  private enum Kind: UInt8 {
    case format = 0x01
    case catalog = 0x02
    case greatestIncarnation = 0x03
    case retired = 0x04
    case historyFloor = 0x05
    case bulkDeletion = 0x06
    case databaseCopy = 0x07
    case backupSchedule = 0x08
    case databaseBackup = 0x09
    case restore = 0x0A
    case indexes = 0x10
    case rulesets = 0x20
    case releases = 0x21
  }

  /// The format version's key.
  package static let format = prefix(.format)

  /// The greatest incarnation's key.
  package static let greatestIncarnation = prefix(.greatestIncarnation)

  /// The key of the version at which the store was restored.
  static let restore = prefix(.restore)

  /// The prefix of all catalog keys.
  package static let catalog = prefix(.catalog)

  /// The prefix of the keys of all retired incarnations.
  package static let retired = prefix(.retired)

  /// The prefix of the keys of all history floors.
  static let historyFloors = prefix(.historyFloor)

  /// The prefix of the keys of all index definitions.
  static let allIndexes = prefix(.indexes)

  /// The catalog entry of a database.
  package static func catalogEntry(_ id: DatabaseID) -> [UInt8] {
    var bytes = catalog
    SegmentEncoding.append(id.project, to: &bytes)
    SegmentEncoding.append(id.database, to: &bytes)
    return bytes
  }

  /// The database that a catalog key names; nil where it is none.
  package static func database(ofCatalogKey key: UnsafeRawBufferPointer) -> DatabaseID? {
    var position = catalog.count
    guard let project = SegmentEncoding.decode(key, at: &position),
      let database = SegmentEncoding.decode(key, at: &position), position == key.count
    else { return nil }
    return DatabaseID(project: project, database: database)
  }

  /// The mark of an incarnation that is to be erased.
  package static func retired(_ incarnation: Incarnation) -> [UInt8] {
    prefix(.retired, incarnation)
  }

  /// The history floor of an incarnation.
  package static func historyFloor(_ incarnation: Incarnation) -> [UInt8] {
    prefix(.historyFloor, incarnation)
  }

  /// The prefixes of all keys of an incarnation in force.
  static func prefixes(of incarnation: Incarnation) -> [[UInt8]] {
    [Kind.historyFloor, .bulkDeletion, .databaseCopy, .indexes].map { prefix($0, incarnation) }
  }

  /// The prefix of the keys of an incarnation's bulk deletions.
  static func bulkDeletions(of incarnation: Incarnation) -> [UInt8] {
    prefix(.bulkDeletion, incarnation)
  }

  /// A bulk deletion of an incarnation.
  static func bulkDeletion(_ number: UInt64, of incarnation: Incarnation) -> [UInt8] {
    bulkDeletions(of: incarnation) + withUnsafeBytes(of: number.bigEndian) { Array($0) }
  }

  /// The copy that makes an incarnation.
  static func databaseCopy(_ incarnation: Incarnation) -> [UInt8] {
    prefix(.databaseCopy, incarnation)
  }

  /// The prefix of the keys of all backup schedules.
  static let allBackupSchedules = prefix(.backupSchedule)

  /// The prefix of the keys of a database's backup schedules.
  static func backupSchedules(of id: DatabaseID) -> [UInt8] {
    var bytes = allBackupSchedules
    SegmentEncoding.append(id.project, to: &bytes)
    SegmentEncoding.append(id.database, to: &bytes)
    return bytes
  }

  /// A backup schedule of a database.
  static func backupSchedule(_ name: String, of id: DatabaseID) -> [UInt8] {
    var bytes = backupSchedules(of: id)
    SegmentEncoding.append(Text(name), to: &bytes)
    return bytes
  }

  /// The database and the schedule that a key names; nil where it is none.
  static func schedule(
    ofKey key: UnsafeRawBufferPointer
  ) -> (database: DatabaseID, name: String)? {
    var position = allBackupSchedules.count
    guard let project = SegmentEncoding.decode(key, at: &position),
      let database = SegmentEncoding.decode(key, at: &position),
      let name = SegmentEncoding.decode(key, at: &position), position == key.count
    else { return nil }
    return (DatabaseID(project: project, database: database), name.string)
  }

  /// The prefix of the keys of all backups of databases.
  static let allDatabaseBackups = prefix(.databaseBackup)

  /// The prefix of the keys of a project's backups.
  static func databaseBackups(of project: Text) -> [UInt8] {
    var bytes = allDatabaseBackups
    SegmentEncoding.append(project, to: &bytes)
    return bytes
  }

  /// A backup of a project's database.
  static func databaseBackup(_ name: String, of project: Text) -> [UInt8] {
    var bytes = databaseBackups(of: project)
    SegmentEncoding.append(Text(name), to: &bytes)
    return bytes
  }

  /// The project and the backup that a key names; nil where it is none.
  static func backup(ofKey key: UnsafeRawBufferPointer) -> (project: Text, name: String)? {
    var position = allDatabaseBackups.count
    guard let project = SegmentEncoding.decode(key, at: &position),
      let name = SegmentEncoding.decode(key, at: &position), position == key.count
    else { return nil }
    return (project, name.string)
  }

  /// Returns the prefix of the keys of an incarnation's index definitions.
  package static func indexes(_ incarnation: Incarnation) -> [UInt8] {
    prefix(.indexes, incarnation)
  }

  /// The prefix of the keys of all rulesets.
  package static let rulesets = prefix(.rulesets)

  /// Returns the prefix of the keys of a project's rulesets.
  package static func rulesets(of project: Text) -> [UInt8] {
    var bytes = rulesets
    SegmentEncoding.append(project, to: &bytes)
    return bytes
  }

  /// A ruleset of a project.
  package static func ruleset(project: Text, id: Text) -> [UInt8] {
    var bytes = rulesets(of: project)
    SegmentEncoding.append(id, to: &bytes)
    return bytes
  }

  /// The prefix of the keys of all releases.
  package static let releases = prefix(.releases)

  /// Returns the prefix of the keys of a project's releases.
  package static func releases(of project: Text) -> [UInt8] {
    var bytes = releases
    SegmentEncoding.append(project, to: &bytes)
    return bytes
  }

  /// A release of a project.
  package static func release(project: Text, name: Text) -> [UInt8] {
    var bytes = releases(of: project)
    SegmentEncoding.append(name, to: &bytes)
    return bytes
  }

  /// The incarnation in a key of the kinds that carry one.
  package static func incarnation(ofKey key: UnsafeRawBufferPointer) -> Incarnation? {
    guard key.count >= 6 else { return nil }
    return Incarnation(bigEndian: key.loadUnaligned(fromByteOffset: 2, as: Incarnation.self))
  }

  private static func prefix(_ kind: Kind) -> [UInt8] {
    [KeySpace.meta.rawValue, kind.rawValue]
  }

  private static func prefix(_ kind: Kind, _ incarnation: Incarnation) -> [UInt8] {
    prefix(kind) + withUnsafeBytes(of: incarnation.bigEndian) { Array($0) }
  }
}
