import DocumentStore
import FirestoreModel
import HTTPTypes
import Hummingbird

/// Development mode's helper routes, which Google's emulator has too.
///
/// - `DELETE /emulator/v1/projects/{project}/databases/{database}/documents` clears a database.
/// - `POST /reset` clears every database.
package struct EmulatorFeature: HTTPFeature {
  private let databases: Databases

  /// Routes on that store.
  package init(databases: Databases) { self.databases = databases }

  package func addRoutes(to router: Router<GatewayRequestContext>) {
    router.delete("/emulator/v1/projects/:project/databases/:database/documents", use: clear)
    router.post("/reset", use: reset)
  }

  @Sendable
  private func clear(_ request: Request, _ context: GatewayRequestContext) async throws -> Response
  {
    let id = DatabaseID(
      project: Text(try context.parameters.require("project")),
      database: Text(try context.parameters.require("database"))
    )
    _ = try databases.database(id)
    try databases.clear(id)
    return .json(Array("{}".utf8))
  }

  @Sendable
  private func reset(_ request: Request, _ context: GatewayRequestContext) async throws -> Response
  {
    for database in try databases.listDatabases() { try databases.clear(database.id) }
    return .json(Array("{}".utf8))
  }
}
