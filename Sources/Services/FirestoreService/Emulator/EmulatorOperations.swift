import Access
import BaseRuntime
import BaseStatus
import BaseText
import DocumentStore
import FirestoreModel

/// The operations of development mode's helper routes on documents, as Google's emulator has them.
///
/// Administrators' work: open to callers without a token, but not to users. Any thread may call.
package struct EmulatorOperations: Sendable {
  private let access: AccessControl
  private let threads: EngineThreads

  /// Deletes go out in commits of so many.
  private static let commitSize = 500

  /// Operations for callers that `access` permits; `threads` do what waits for the disk.
  package init(access: AccessControl, threads: EngineThreads) {
    self.access = access
    self.threads = threads
  }

  /// The caller's right to the operations; throws PERMISSION_DENIED to those without.
  package func permit(_ context: CallContext) async throws -> AdministratorPermit {
    try await run { [access] in
      try access.administratorPermit(for: try access.identify(context))
    }
  }

  /// Empties a database, which is made if there is none.
  package func clear(_ id: DatabaseID, _ permit: AdministratorPermit) async throws {
    try await run { try permit.clear(id) }
  }

  /// Empties every database.
  package func clearAll(_ permit: AdministratorPermit) async throws {
    try await run {
      for database in try permit.listDatabases() { try permit.clear(database.id) }
    }
  }

  /// Deletes a document or a collection with everything below it, in commits of a bounded size.
  package func deleteTree(
    _ path: ResourcePath,
    in id: DatabaseID,
    _ permit: AdministratorPermit
  ) async throws {
    let database = try await run { try permit.database(id) }
    let cursor = try database.query(Self.descendants(of: path, in: id))
    var isDone = false
    while !isDone {
      let names = try await run { try cursor.nextNames(max: Self.commitSize) }
      try await delete(names.paths, in: database)
      isDone = names.isDone
    }
    if path.isDocument { try await delete([path], in: database) }
  }

  /// Runs blocking work in the lane without client reads.
  private func run<Answer: Sendable>(
    _ work: @escaping @Sendable () throws -> Answer
  ) async throws -> Answer {
    do {
      return try await threads.run(on: .maintenance, work)
    } catch {
      throw ServiceError.storage(error)
    }
  }

  private func delete(_ paths: [ResourcePath], in database: Database) async throws {
    guard !paths.isEmpty else { return }
    let writes = paths.map { path in
      Write(name: DocumentName(database: database.id, path: path), operation: .delete)
    }
    _ = try await withCheckedThrowingContinuation { continuation in
      database.commit(CommitProposal(writes: writes)) { continuation.resume(with: $0) }
    }
  }

  /// A query of all documents below a document, or in and below a collection.
  private static func descendants(of path: ResourcePath, in id: DatabaseID) -> Query {
    guard path.isCollection, let collection = path.lastID else {
      return Query(parent: path, scope: .descendants)
    }
    // The least name in the collection, and the least in the one that would follow it.
    let bounds = [collection, Text(collection.string + "\u{0}")].map { collection in
      let least = path.parent.appending(collection).appending("__id-9223372036854775808__")
      return Value.reference(DocumentName(database: id, path: least))
    }
    var query = Query(parent: path.parent, scope: .descendants)
    query.filter = .and([
      .field(.documentName, .greaterThanOrEqual, bounds[0]),
      .field(.documentName, .lessThan, bounds[1]),
    ])
    return query
  }
}
