import Access
import DocumentStore
import FirestoreModel
import FirestoreService
import HTTPTypes
import Hummingbird
import KeyValueStore

/// Development mode's helper routes, which Google's emulator has too.
///
/// - `DELETE /emulator/v1/projects/{project}/databases/{database}/documents` clears a database.
/// - `DELETE …/documents/{path}` deletes a document or a collection with everything below it.
/// - `POST /reset` clears every database.
///
/// Administrators' work: open to callers without a token, but not to users.
package struct EmulatorFeature: HTTPFeature {
  private let databases: Databases
  private let access: AccessControl
  private let threads: EngineThreads

  /// Deletes go out in commits of so many.
  private static let commitSize = 500

  /// Routes on that store; `threads` do what waits for the disk.
  package init(databases: Databases, access: AccessControl, threads: EngineThreads) {
    self.databases = databases
    self.access = access
    self.threads = threads
  }

  package func addRoutes(to router: Router<GatewayRequestContext>) {
    let documents: RouterPath = "/emulator/v1/projects/:project/databases/:database/documents"
    router.delete(documents, use: clear)
    router.delete(documents.appendingPath("**"), use: deleteTree)
    router.post("/reset", use: reset)
  }

  @Sendable
  private func clear(_ request: Request, _ context: GatewayRequestContext) async throws -> Response
  {
    try access.requireAdministration(try access.identify(context.call(request)))
    let id = try Self.database(context)
    try await threads.run { [databases] in
      _ = try databases.database(id)
      try databases.clear(id)
    }
    return Self.done
  }

  @Sendable
  private func reset(_ request: Request, _ context: GatewayRequestContext) async throws -> Response
  {
    try access.requireAdministration(try access.identify(context.call(request)))
    try await threads.run { [databases] in
      for database in try databases.listDatabases() { try databases.clear(database.id) }
    }
    return Self.done
  }

  @Sendable
  private func deleteTree(
    _ request: Request,
    _ context: GatewayRequestContext
  ) async throws -> Response {
    try access.requireAdministration(try access.identify(context.call(request)))
    let id = try Self.database(context)
    let parts = context.parameters.getCatchAll().map { Substring($0) }
    guard !parts.isEmpty else { return try await clear(request, context) }
    let path = try Self.path(parts, in: id)
    let database = try await threads.run { [databases] in try databases.database(id) }
    let cursor = try database.query(Self.descendants(of: path, in: id))
    var isDone = false
    while !isDone {
      let names = try await threads.run { try cursor.nextNames(max: Self.commitSize) }
      try await delete(names.paths, in: database)
      isDone = names.isDone
    }
    if path.isDocument { try await delete([path], in: database) }
    return Self.done
  }

  private func delete(_ paths: [ResourcePath], in database: Database) async throws {
    guard !paths.isEmpty else { return }
    let writes = paths.map { path in
      Write(name: DocumentName(database: database.id, path: path), operation: .delete)
    }
    _ = try await withCheckedThrowingContinuation { continuation in
      database.commit(CommitRequest(writes: writes)) { continuation.resume(with: $0) }
    }
  }

  /// All documents below a document, or in and below a collection.
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

  /// The path of a document or a collection; refuses what no name could have.
  private static func path(_ parts: [Substring], in id: DatabaseID) throws -> ResourcePath {
    let segments = try parts.map { try decoded($0) }
    let isCollection = !segments.count.isMultiple(of: 2)
    // A collection is named by a document that it could have.
    let named = isCollection ? segments + ["x"] : segments
    let name = "\(id.path)/documents/\(named.joined(separator: "/"))"
    let path = try DocumentName(parsing: name).path
    return isCollection ? path.parent : path
  }

  private static func database(_ context: GatewayRequestContext) throws -> DatabaseID {
    DatabaseID(
      project: Text(try decoded(Substring(try context.parameters.require("project")))),
      database: Text(try decoded(Substring(try context.parameters.require("database"))))
    )
  }

  private static func decoded(_ part: Substring) throws -> String {
    guard let text = PercentEncoding.decode(part), !text.contains("/") else {
      throw FirestoreError.invalidArgument("The URL's path has a malformed part: \"\(part)\".")
    }
    return text
  }

  private static var done: Response { .json(Array("{}".utf8)) }
}
