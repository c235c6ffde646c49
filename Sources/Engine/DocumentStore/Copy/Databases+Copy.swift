import BaseStatus
import FirestoreModel
import KeyValueStore

extension Databases {
  /// Makes a database with what another one had at a version, in the background.
  ///
  /// Index definitions and overrides are those of now; policies of times to live are left out, so that what they deleted can be
  /// looked at. Unique indexes are built when all documents are copied, and fail where those of that version have duplicates.
  /// Throws ALREADY_EXISTS for an id that is taken, and INVALID_ARGUMENT for a version that cannot be read, or from before the
  /// database was made.
  package func startCopy(
    of source: DatabaseID,
    at version: CommitVersion,
    as id: DatabaseID
  ) throws -> DatabaseCopy {
    try id.checkCreatable()
    guard let database = try existingDatabase(source) else {
      throw ServiceError.unknownDatabase(source)
    }
    // A database of the same id that was there before is another one: this one has nothing of it.
    guard version >= database.createTime else { throw ServiceError.readTimeTooOld }
    try database.read(.at(version)) { _ in }
    let copy = try catalog.create(id, copying: database, at: version)
    // Open databases are maintained, and so filled.
    _ = try existingDatabase(id)
    return copy
  }
}

extension Databases {
  /// Makes an empty database that another caller fills from a backup; that caller calls
  /// `endRestore`.
  package func startRestore(of backup: DatabaseBackup, as id: DatabaseID) throws -> DatabaseCopy {
    try id.checkCreatable()
    return try catalog.create(id, from: backup)
  }

  /// Notes the end of the restore of a database that began at a version; a failure is a sentence for people.
  package func endRestore(of id: DatabaseID, since start: CommitVersion, failure: String?) throws {
    guard let database = try existingDatabase(id) else { return }
    try engine.write { group in
      let key = MetaKey.databaseCopy(database.incarnation)
      guard !database.isRetired, let record = try group.get(key) else { return }
      var copy = try DatabaseCopy(record: record)
      guard copy.end == nil, copy.start == start else { return }
      copy.end = CommitVersion(microseconds: try group.allocateVersion())
      copy.failure = failure
      try group.put(key, copy.record)
    }
  }

  /// Opens the databases whose copies an earlier process did not end, so that they are filled though nobody uses them.
  ///
  /// One that can't be opened keeps no other one closed; its failure is thrown in the end.
  func openUnfinishedCopies() throws {
    var failure: (any Error)?
    for listing in try listDatabases() {
      do {
        guard let incarnation = try catalog.incarnation(of: listing.id),
          let record = try engine.read({ try $0.get(MetaKey.databaseCopy(incarnation)) })
        else { continue }
        let copy = try DatabaseCopy(record: record)
        if copy.end == nil, copy.backup == nil { _ = try existingDatabase(listing.id) }
      } catch {
        failure = failure ?? error
      }
    }
    if let failure { throw failure }
  }

  /// The copies and restores that made databases, by database; those that are in force only: of a deleted one there is none.
  package func databaseCopies() throws -> [(database: DatabaseID, copy: DatabaseCopy)] {
    try listDatabases().compactMap { listing in
      guard let incarnation = try catalog.incarnation(of: listing.id),
        let record = try engine.read({ try $0.get(MetaKey.databaseCopy(incarnation)) })
      else { return nil }
      return (listing.id, try DatabaseCopy(record: record))
    }
  }

  /// The restores that have not ended: at a start those of an earlier process.
  package func unfinishedRestores() throws -> [(database: DatabaseID, copy: DatabaseCopy)] {
    try databaseCopies().filter { $0.copy.isUnfinishedRestore }
  }

  /// Throws unless the restore that began at that version still fills the database.
  package func checkFill(_ fill: CommitVersion, of id: DatabaseID) throws {
    guard let database = try existingDatabase(id) else { throw ServiceError.unknownDatabase(id) }
    try engine.read { try database.checkFill(fill, in: $0) }
  }
}

extension Database {
  /// The copy that made this database; nil where it was made empty.
  package func databaseCopy() throws -> DatabaseCopy? {
    try engine.read { try $0.get(MetaKey.databaseCopy(incarnation)) }
      .map { try DatabaseCopy(record: $0) }
  }

  /// Throws for writes that may not be made now.
  ///
  /// While a copy or a restore fills the database, it alone writes: it would overwrite what others write. A restore that failed
  /// left a part of a database, which takes no writes. A restore that is over, or filled an earlier life, writes nothing more.
  ///
  /// - Parameter fill: The version at which the copy or restore began that makes the writes; nil for anybody else's.
  func checkFill(_ fill: CommitVersion?, in reader: any KeyValueReader) throws {
    guard fill != nil || mayBeFilled.load(ordering: .relaxed) else { return }
    let copy = try reader.get(MetaKey.databaseCopy(incarnation)).map {
      try DatabaseCopy(record: $0)
    }
    if let fill {
      guard let copy, copy.end == nil, copy.start == fill else {
        throw ServiceError.fillIsOver(id)
      }
    } else if let copy, let refusal = copy.refusal(of: id) {
      throw refusal
    } else {
      mayBeFilled.store(false, ordering: .relaxed)
    }
  }

  /// Copies some documents of the copy that makes this database; returns whether there is more to do.
  func performCopy(_ find: (DatabaseID) throws -> Database?) throws -> Bool {
    guard isCopying.load(ordering: .relaxed) else { return false }
    guard var copy = try databaseCopy(), copy.end == nil, copy.backup == nil else {
      isCopying.store(false, ordering: .relaxed)
      return false
    }
    var isDone = true
    do {
      if let source = try find(copy.source), source.incarnation == copy.incarnation {
        isDone = try CopyStep(source: source, target: self).run(&copy)
        if isDone { try declareUniqueIndexes(of: source) }
      } else {
        copy.failure = "The database \(copy.source.path) was deleted before the copy was complete."
      }
    } catch let error as ServiceError
      where [.invalidArgument, .alreadyExists, .failedPrecondition].contains(error.code)
    {
      // The version is too old by now, a document is no longer valid, or an index that was declared
      // in the meantime refuses it.
      copy.failure = error.message
    }
    try engine.write(.background) { group in
      guard !isRetired else { return }
      if isDone { copy.end = CommitVersion(microseconds: try group.allocateVersion()) }
      try group.put(MetaKey.databaseCopy(incarnation), copy.record)
    }
    return !isDone || IndexTask(indexes.current) != nil
  }
}
