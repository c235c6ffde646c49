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

  /// Notes the end of the restore of a database; a failure is a sentence for people.
  package func endRestore(of id: DatabaseID, failure: String?) throws {
    guard let database = try existingDatabase(id) else { return }
    try engine.write { group in
      let key = MetaKey.databaseCopy(database.incarnation)
      guard !database.isRetired, let record = try group.get(key) else { return }
      var copy = try DatabaseCopy(record: record)
      guard copy.end == nil else { return }
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

  /// Ends the restores that an earlier process did not end.
  package func failUnfinishedRestores() throws {
    for listing in try listDatabases() {
      guard let copy = try existingDatabase(listing.id)?.databaseCopy(), copy.end == nil,
        copy.backup != nil
      else { continue }
      try endRestore(
        of: listing.id,
        failure:
          "The server stopped before the restore was complete. Delete the database and restore it again."
      )
    }
  }
}

extension Database {
  /// The copy that made this database; nil where it was made empty.
  package func databaseCopy() throws -> DatabaseCopy? {
    try engine.read { try $0.get(MetaKey.databaseCopy(incarnation)) }
      .map { try DatabaseCopy(record: $0) }
  }

  /// True while a copy or a restore fills this database: it would overwrite what others write.
  func isBeingFilled(in reader: any KeyValueReader) throws -> Bool {
    guard mayBeFilled.load(ordering: .relaxed) else { return false }
    let record = try reader.get(MetaKey.databaseCopy(incarnation))
    if let record, try DatabaseCopy(record: record).end == nil { return true }
    mayBeFilled.store(false, ordering: .relaxed)
    return false
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
