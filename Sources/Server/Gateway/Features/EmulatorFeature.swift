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
  private let operations: EmulatorOperations

  /// Routes to those operations.
  package init(operations: EmulatorOperations) { self.operations = operations }

  package func addRoutes(to router: Router<GatewayRequestContext>) {
    let documents: RouterPath = "/emulator/v1/projects/:project/databases/:database/documents"
    router.delete(documents, use: clear)
    router.delete(documents.appendingPath("**"), use: deleteTree)
    router.post("/reset", use: reset)
  }

  @Sendable
  private func clear(_ request: Request, _ context: GatewayRequestContext) async throws -> Response
  {
    let permit = try await operations.permit(context.call(request))
    try await operations.clear(try Self.database(context), permit)
    return Self.done
  }

  @Sendable
  private func reset(_ request: Request, _ context: GatewayRequestContext) async throws -> Response
  {
    try await operations.clearAll(try await operations.permit(context.call(request)))
    return Self.done
  }

  @Sendable
  private func deleteTree(
    _ request: Request,
    _ context: GatewayRequestContext
  ) async throws -> Response {
    let permit = try await operations.permit(context.call(request))
    let id = try Self.database(context)
    let parts = context.parameters.getCatchAll().map { Substring($0) }
    if parts.isEmpty {
      try await operations.clear(id, permit)
    } else {
      try await operations.deleteTree(try Self.path(parts, in: id), in: id, permit)
    }
    return Self.done
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
