import Access
import BaseStatus
import BaseText
import DocumentStore
import FirestoreModel
import FirestoreWire

/// The work of an operator on the documents of whole databases: verify, export, import, mass deletion.
///
/// Calls block, for as long as it takes to read or write everything; beside a running server too.
package struct DocumentAdministration: Sendable {
  let permit: AdministratorPermit

  /// Documents that one commit of an import writes, and the bytes that end it earlier.
  private static let importBatch = (documents: 256, bytes: 4 << 20)

  /// Work with that right.
  package init(_ permit: AdministratorPermit) { self.permit = permit }

  /// Recomputes the data derived from the documents of every database and reports each difference;
  /// returns the number of checked items.
  package func verify(
    progress: (_ documents: Int) throws -> Void,
    report: (String) throws -> Void
  ) throws -> (documents: Int, indexEntries: Int) {
    var total = (documents: 0, indexEntries: 0)
    for listing in try permit.listDatabases() {
      let earlier = total.documents
      let summary = try permit.database(listing.id).verify(
        progress: { try progress(earlier + $0) },
        report: { try report("\(listing.id.path): \($0)") }
      )
      total.documents += summary.documents
      total.indexEntries += summary.indexEntries
    }
    return total
  }

  /// Hands out every document of a database at one read time as a `Document` message, with the path of its
  /// collection; returns how many there were.
  package func exportDocuments(
    of id: DatabaseID,
    progress: (_ documents: Int) throws -> Void,
    item: (_ collection: String, _ message: [UInt8]) throws -> Void
  ) throws -> Int {
    let database = try permit.database(id)
    let cursor = try database.query(
      Query(scope: .descendants),
      consistency: .at(try database.readTime())
    )
    var count = 0
    while true {
      let chunk = try cursor.next()
      for record in chunk.documents {
        try item(record.name.path.parent.string, DocumentResponse(record).encoded())
        count += 1
      }
      try progress(count)
      if chunk.isDone { return count }
    }
  }

  /// Writes the documents of `UpdateDocumentRequest` messages into a database, whichever they name; returns
  /// how many it wrote, and why it refused others.
  ///
  /// A project's default database is made where there is none, as in a new directory at rest.
  ///
  /// - Parameter fill: The version at which the restore began that fills the database; nil for an import.
  package func importDocuments(
    into id: DatabaseID,
    by fill: CommitVersion? = nil,
    next: () throws -> [UInt8]?
  ) throws -> (written: Int, refusals: [String]) {
    let database =
      try fill.map { _ in try permit.existingDatabase(id) }
      ?? permit.databaseOnFirstUse(id)
    var commits = ImportCommits(to: database, by: fill)
    var batch: [Write] = []
    var bytes = 0
    var unread: [String] = []
    /// Items before a fault of the import are written, as the fault's place tells.
    func following() throws -> [UInt8]? {
      do {
        return try next()
      } catch {
        if fill == nil {
          try? commits.add(batch, bytes: bytes)
          try? commits.finish()
        }
        throw error
      }
    }
    while let message = try following() {
      do {
        let write = try UpdateDocumentRequest(decoding: message).write
        let name = DocumentName(database: id, path: write.name.path)
        batch.append(Write(name: name, operation: write.operation))
        bytes += message.count
      } catch {
        guard error.isOfOneItem else { throw error }
        unread.append(error.message)
      }
      if batch.count >= Self.importBatch.documents || bytes >= Self.importBatch.bytes {
        try commits.add(batch, bytes: bytes)
        batch.removeAll(keepingCapacity: true)
        bytes = 0
      }
    }
    try commits.add(batch, bytes: bytes)
    try commits.finish()
    return (commits.written, unread + commits.refusals)
  }

  /// Deletes the documents of names, whichever database they name; returns how many there were, and why it refused others.
  package func deleteDocuments(
    of id: DatabaseID,
    next: () throws -> [UInt8]?
  ) throws -> (deleted: Int, refusals: [String]) {
    let database = try permit.database(id)
    var batch: [Write] = []
    var result = (written: 0, refusals: [String]())
    func commitBatch() throws {
      let outcome = try commitEach(batch, to: database)
      result.written += outcome.written
      result.refusals += outcome.refusals
      batch.removeAll(keepingCapacity: true)
    }
    while let bytes = try next() {
      do {
        let name = try DocumentName(parsing: String(decoding: bytes, as: UTF8.self))
        let moved = DocumentName(database: id, path: name.path)
        batch.append(Write(name: moved, operation: .delete))
      } catch {
        guard error.isOfOneItem else { throw error }
        result.refusals.append(error.message)
      }
      if batch.count >= Self.importBatch.documents { try commitBatch() }
    }
    try commitBatch()
    return (result.written, result.refusals)
  }

  /// Commits writes together or, where one of them is refused, each by itself.
  private func commitEach(
    _ batch: [Write],
    to database: Database
  ) throws -> (written: Int, refusals: [String]) {
    do {
      return (try commit(batch, to: database), [])
    } catch let error as ServiceError where error.isOfOneItem {
      guard batch.count > 1 else {
        return (0, batch.map { "\($0.name.path.string): \(error.message)" })
      }
    }
    var result = (written: 0, refusals: [String]())
    for write in batch {
      let outcome = try commitEach([write], to: database)
      result.written += outcome.written
      result.refusals += outcome.refusals
    }
    return result
  }

  /// Deletes the documents of the collection at a path and, if asked, those of all collections below it; returns how many
  /// there were.
  package func deleteCollection(
    at path: String,
    of id: DatabaseID,
    includingDescendants: Bool,
    progress: (_ documents: Int) throws -> Void
  ) throws -> Int {
    let database = try permit.database(id)
    let deletion = try DocumentDeletion(
      .collection(try Self.collection(path), includingDescendants: includingDescendants),
      in: database
    )
    while !deletion.isDone {
      try deletion.step()
      try progress(deletion.count)
    }
    return deletion.count
  }

  private static func collection(_ path: String) throws(ServiceError) -> ResourcePath {
    let segments = path.split(separator: "/", omittingEmptySubsequences: false)
    guard !segments.count.isMultiple(of: 2), segments.allSatisfy({ !$0.isEmpty }) else {
      throw .invalidArgument(
        "\"\(path)\" is not the path of a collection. Examples: orders, users/ana/orders."
      )
    }
    return ResourcePath(segments.map { Text(String($0)) })
  }

  private func commit(_ batch: [Write], to database: Database) throws -> Int {
    guard !batch.isEmpty else { return 0 }
    let result = BlockingResult<CommitOutcome>()
    database.commit(CommitProposal(writes: batch)) { result.set($0) }
    return try result.wait().results.count
  }
}
