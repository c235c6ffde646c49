import BaseStatus
import FirestoreModel
import KeyValueStore

/// A database as it is listed.
package struct DatabaseListing: Sendable, Hashable {
  /// The project's and the database's ids.
  package let id: DatabaseID
  /// The current life; clearing replaces it.
  package let incarnation: Incarnation
  /// The time at which the database was created; clearing does not change it.
  package let createTime: CommitVersion
  /// True while the database is protected from deletion.
  package let isProtected: Bool
  /// True where history is kept for a week.
  package let recoversPast: Bool
  /// The age of the oldest readable version, in microseconds.
  package let retention: Int64
  /// The earliest version that can be read.
  package let earliestVersion: CommitVersion
}

/// The catalog of databases, as `MetaKey` documents it.
///
/// Every change is one write.
struct DatabaseCatalog: Sendable {
  private let engine: any KeyValueEngine

  /// The newest format that this code reads.
  ///
  /// Each format adds one feature that the one before does
  /// not know: 2 times to live, 3 point-in-time recovery, 4 unique indexes, 5 times to live with an
  /// offset, 6 values of BSON types, 7 indexes of other densities than SPARSE_ALL.
  private static let format: UInt32 = 7
  private static let bsonFormat: UInt32 = 6
  private static let offsetFormat: UInt32 = 5
  private static let uniqueIndexFormat: UInt32 = 4
  private static let recoveryFormat: UInt32 = 3
  private static let timeToLiveFormat: UInt32 = 2
  /// The format of a store without newer features.
  private static let firstFormat: UInt32 = 1

  /// Marks a new store with the format; refuses a store of a newer one.
  init(engine: any KeyValueEngine) throws {
    self.engine = engine
    if try !Self.checkFormat({ key in try engine.read { try $0.get(key) } }) {
      try engine.write { try $0.put(MetaKey.format, Self.bytes(Self.firstFormat)) }
    }
  }

  /// Throws `newerFormat` for a store of a newer format; returns false for a new one, which has none.
  static func checkFormat(_ read: (_ key: [UInt8]) throws -> [UInt8]?) throws -> Bool {
    guard let stored = try read(MetaKey.format) else { return false }
    let version = try number(stored, at: 0)
    guard version <= format else {
      throw KeyValueError(
        .newerFormat,
        """
        A newer version of Brasa has written this data: the list of databases has format \(version), and this program \
        knows formats up to \(format). Start that version, or restore a backup from before the upgrade.
        """
      )
    }
    return true
  }

  /// Marks the store with the format that has times to live, so that programs which would not keep them refuse it.
  ///
  /// Programs without offsets would delete documents too early.
  static func requireTimeToLive(offset: UInt32, in group: any KeyValueGroup) throws {
    try require(offset > 0 ? offsetFormat : timeToLiveFormat, in: group)
  }

  /// Marks the store with the format that has unique indexes, so that programs which would not check them refuse it.
  static func requireUniqueIndexes(in group: any KeyValueGroup) throws {
    try require(uniqueIndexFormat, in: group)
  }

  /// Marks the store with the format that has values of BSON types, so that programs which can't read their
  /// index entries refuse it.
  static func requireBSON(in group: any KeyValueGroup) throws {
    try require(bsonFormat, in: group)
  }

  /// Marks the store with the format that has indexes of all densities, so that programs which would not keep them refuse it.
  static func requireDensities(in group: any KeyValueGroup) throws {
    try require(format, in: group)
  }

  private static func require(_ format: UInt32, in group: any KeyValueGroup) throws {
    let stored = try group.get(MetaKey.format).map { try number($0, at: 0) } ?? 0
    if stored < format { try group.put(MetaKey.format, bytes(format)) }
  }

  /// The version at which the store was restored from a backup; zero where it never was.
  static func restoreVersion(in reader: any KeyValueReader) throws -> CommitVersion {
    guard let value = try reader.get(MetaKey.restore) else { return .zero }
    var position = 0
    guard let bits = value.withUnsafeBytes({ readBigEndian($0, at: &position) }) else {
      throw KeyValueError(.corruption, "the version of a restore is shorter than a version")
    }
    return CommitVersion(microseconds: Int64(bitPattern: bits))
  }

  /// Notes that the store was restored from a backup just now.
  func noteRestore() throws {
    try engine.write { group in
      var value: [UInt8] = []
      value.append(CommitVersion(microseconds: try group.allocateVersion()))
      try group.put(MetaKey.restore, value)
    }
  }

  /// The incarnation in force; nil for an unknown database.
  func incarnation(of id: DatabaseID) throws -> Incarnation? {
    try engine.read { try Self.entry(of: id, in: $0)?.incarnation }
  }

  /// Makes a database unless there is one.
  func create(_ id: DatabaseID) throws -> (Incarnation, isNew: Bool) {
    if let known = try incarnation(of: id) { return (known, false) }
    return try engine.write { group in
      if let known = try Self.entry(of: id, in: group) { return (known.incarnation, false) }
      let incarnation = try Self.nextIncarnation(in: group)
      let version = CommitVersion(microseconds: try group.allocateVersion())
      let entry = Entry(incarnation: incarnation, createTime: version)
      try Self.put(id, entry, in: group)
      return (incarnation, true)
    }
  }

  /// Makes a database with the index definitions of another and the record of a copy, which fills it.
  ///
  /// Unique indexes are left out: the version that is copied may have duplicates.
  func create(
    _ id: DatabaseID,
    copying source: Database,
    at version: CommitVersion
  ) throws -> DatabaseCopy {
    try engine.write { group in
      guard try Self.entry(of: id, in: group) == nil else {
        throw ServiceError(.alreadyExists, "Database already exists: \(id.path)")
      }
      let incarnation = try Self.nextIncarnation(in: group)
      let start = CommitVersion(microseconds: try group.allocateVersion())
      try Self.put(id, Entry(incarnation: incarnation, createTime: start), in: group)
      let unique = source.indexes.current.declared.filter(\.definition.isUnique).map(\.number)
      try Self.copyIndexes(from: source.incarnation, to: incarnation, in: group) {
        IndexStorage.isCopied($0, without: Set(unique))
      }
      let copy = DatabaseCopy(of: source.id, source.incarnation, at: version, start: start)
      try group.put(MetaKey.databaseCopy(incarnation), copy.record)
      return copy
    }
  }

  /// Makes an empty database with the record of a restore from a backup.
  func create(_ id: DatabaseID, from backup: DatabaseBackup) throws -> DatabaseCopy {
    try engine.write { group in
      guard try Self.entry(of: id, in: group) == nil else {
        throw ServiceError(.alreadyExists, "Database already exists: \(id.path)")
      }
      let incarnation = try Self.nextIncarnation(in: group)
      let start = CommitVersion(microseconds: try group.allocateVersion())
      try Self.put(id, Entry(incarnation: incarnation, createTime: start), in: group)
      var copy = DatabaseCopy(
        of: backup.database,
        backup.incarnation,
        at: backup.version,
        start: start
      )
      copy.backup = backup.id
      try group.put(MetaKey.databaseCopy(incarnation), copy.record)
      return copy
    }
  }

  /// Removes a database.
  ///
  /// `retire` runs in the write, `retired` with the last incarnation when the write is durable and before
  /// any later one.
  func delete(
    _ id: DatabaseID,
    retire: () -> Void,
    retired: (Incarnation) -> Void,
    kept: (Incarnation) -> Void
  ) throws {
    try end(id, retire: retire, retired: retired, kept: kept) { entry, group in
      if entry.isProtected {
        throw ServiceError(
          .failedPrecondition,
          "The database \(id.database) is protected from deletion. Remove the protection first."
        )
      }
      try group.delete(MetaKey.catalogEntry(id))
    }
  }

  /// Protects a database from deletion, or ends that.
  func protect(_ id: DatabaseID, _ isProtected: Bool) throws {
    try engine.write { group in
      guard var entry = try Self.entry(of: id, in: group) else {
        throw ServiceError.unknownDatabase(id)
      }
      entry.isProtected = isProtected
      try Self.put(id, entry, in: group)
    }
  }

  /// Keeps a database's history for a week, or ends that; `changed` runs when the write is durable.
  func recoverPast(_ id: DatabaseID, _ recoversPast: Bool, changed: () -> Void) throws {
    try engine.write { group in
      guard var entry = try Self.entry(of: id, in: group) else {
        throw ServiceError.unknownDatabase(id)
      }
      entry.recoversPast = recoversPast
      try Self.put(id, entry, in: group)
      if recoversPast { try Self.require(Self.recoveryFormat, in: group) }
    } settled: { outcome in
      if case .success = outcome { changed() }
    }
  }

  /// Gives a database a new incarnation with the index definitions of the old one, as `delete` does
  /// otherwise.
  func clear(
    _ id: DatabaseID,
    retire: () -> Void,
    retired: (Incarnation) -> Void,
    kept: (Incarnation) -> Void
  ) throws {
    try end(id, retire: retire, retired: retired, kept: kept) { entry, group in
      let incarnation = try Self.nextIncarnation(in: group)
      var next = entry
      next.incarnation = incarnation
      try Self.put(id, next, in: group)
      try Self.copyIndexes(from: entry.incarnation, to: incarnation, in: group)
    }
  }

  private func end(
    _ id: DatabaseID,
    retire: () -> Void,
    retired: (Incarnation) -> Void,
    kept: (Incarnation) -> Void,
    _ change: (Entry, any KeyValueGroup) throws -> Void
  ) throws {
    var ended: Incarnation?
    _ = try engine.write { group in
      guard let entry = try Self.entry(of: id, in: group) else {
        throw ServiceError.unknownDatabase(id)
      }
      try change(entry, group)
      try group.putMarker(MetaKey.retired(entry.incarnation))
      retire()
      ended = entry.incarnation
      return entry.incarnation
    } settled: { outcome in
      switch outcome {
      case .success(let incarnation): retired(incarnation)
      case .failure: if let ended { kept(ended) }
      }
    }
  }

  /// All databases by project and id, with the history that a configuration keeps.
  func list(_ configuration: StoreConfiguration) throws -> [DatabaseListing] {
    let now = configuration.wallClock.now()
    return try engine.read { snapshot in
      var databases: [DatabaseListing] = []
      let cursor = try snapshot.cursor(over: KeyRange(prefix: MetaKey.catalog), reversed: false)
      while try cursor.next() {
        guard let id = MetaKey.database(ofCatalogKey: cursor.key) else { continue }
        let entry = try Self.entry([UInt8](cursor.value))
        let retention = configuration.retention(recoversPast: entry.recoversPast)
        let floor = try HistoryFloor.read(entry.incarnation, in: snapshot)
        let earliest = CommitVersion(microseconds: now - retention)
        databases.append(
          DatabaseListing(
            id: id,
            incarnation: entry.incarnation,
            createTime: entry.createTime,
            isProtected: entry.isProtected,
            recoversPast: entry.recoversPast,
            retention: retention,
            earliestVersion: max(earliest, floor, entry.createTime)
          )
        )
      }
      return databases
    }
  }

  /// Returns the time at which a database was created; nil for an unknown one.
  static func createTime(
    of id: DatabaseID,
    in reader: any KeyValueReader
  ) throws -> CommitVersion? { try entry(of: id, in: reader)?.createTime }

  /// The incarnation in force; nil for an unknown database.
  static func incarnation(
    of id: DatabaseID,
    in reader: any KeyValueReader
  ) throws -> Incarnation? { try entry(of: id, in: reader)?.incarnation }

  /// True where a database's history is kept for a week.
  static func recoversPast(_ id: DatabaseID, in reader: any KeyValueReader) throws -> Bool {
    try entry(of: id, in: reader)?.recoversPast ?? false
  }

  private struct Entry {
    var incarnation: Incarnation
    let createTime: CommitVersion
    var isProtected = false
    var recoversPast = false

    /// The bits of the byte behind the version.
    static let protection: UInt8 = 1
    static let recovery: UInt8 = 2

    var bits: UInt8 {
      (isProtected ? Self.protection : 0) | (recoversPast ? Self.recovery : 0)
    }
  }

  private static func entry(of id: DatabaseID, in reader: any KeyValueReader) throws -> Entry? {
    try reader.get(MetaKey.catalogEntry(id)).map(entry)
  }

  private static func entry(_ value: [UInt8]) throws -> Entry {
    var position = 4
    guard let version = value.withUnsafeBytes({ readBigEndian($0, at: &position) }) else {
      throw KeyValueError(.corruption, "an entry of the catalog is shorter than its parts")
    }
    let bits = value.dropFirst(12).first ?? 0
    return Entry(
      incarnation: try number(value, at: 0),
      createTime: CommitVersion(microseconds: Int64(bitPattern: version)),
      isProtected: bits & Entry.protection != 0,
      recoversPast: bits & Entry.recovery != 0
    )
  }

  private static func put(
    _ id: DatabaseID,
    _ entry: Entry,
    in group: any KeyValueGroup
  ) throws {
    var value = bytes(entry.incarnation)
    value.append(entry.createTime)
    if entry.bits != 0 { value.append(entry.bits) }
    try group.put(MetaKey.catalogEntry(id), value)
  }

  private static func nextIncarnation(in group: any KeyValueGroup) throws -> Incarnation {
    let last = try group.get(MetaKey.greatestIncarnation).map { try number($0, at: 0) } ?? 0
    try group.put(MetaKey.greatestIncarnation, bytes(last + 1))
    return last + 1
  }

  private static func copyIndexes(
    from old: Incarnation,
    to new: Incarnation,
    in group: any KeyValueGroup,
    where isWanted: (_ key: ArraySlice<UInt8>) -> Bool = { _ in true }
  ) throws {
    let prefix = MetaKey.indexes(old)
    var copies: [(key: [UInt8], value: [UInt8])] = []
    let cursor = try group.cursor(over: KeyRange(prefix: prefix), reversed: false)
    while try cursor.next() {
      let part = Array(cursor.key).dropFirst(prefix.count)
      guard isWanted(part) else { continue }
      let key = MetaKey.indexes(new) + part
      copies.append((key, [UInt8](cursor.value)))
    }
    for (key, value) in copies { try group.put(key, value) }
  }

  private static func bytes(_ number: UInt32) -> [UInt8] {
    withUnsafeBytes(of: number.bigEndian) { Array($0) }
  }

  private static func number(_ value: [UInt8], at offset: Int) throws(KeyValueError) -> UInt32 {
    guard value.count >= offset + 4 else {
      throw KeyValueError(.corruption, "a number of the store's own records is too short")
    }
    return value.withUnsafeBytes {
      UInt32(bigEndian: $0.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
    }
  }
}

extension Databases {
  /// Throws `newerFormat` where the list of databases of a store, whose records a closure reads, has a newer format than this
  /// program's.
  package static func checkFormat(_ read: (_ key: [UInt8]) throws -> [UInt8]?) throws {
    _ = try DatabaseCatalog.checkFormat(read)
  }
}
