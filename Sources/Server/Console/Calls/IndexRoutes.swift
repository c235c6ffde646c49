import BaseJSON
import BaseText
import FirestoreModel
import HTTPTypes
import ServiceModule

/// The console's calls for the queries' uses of indexes.
///
///     GET /console/api/projects/{project}/databases/{database}/index-uses   counted since the database was opened
struct IndexRoutes: Sendable {
  let environment: ConsoleEnvironment
  let uses: @Sendable (DatabaseID) throws -> JSONValue

  var routes: [HTTPRoute] {
    let path = "/console/api/projects/{project}/databases/{database}/index-uses"
    return [.ofConsole(.get, path, environment, list).openToViewers()]
  }

  @Sendable
  private func list(_ request: ServiceRequest) async throws -> ServiceResponse {
    let id = DatabaseID(
      project: Text(request.parameters["project"] ?? ""),
      database: Text(request.parameters["database"] ?? "")
    )
    return .private(try await environment.threads.run(on: .maintenance) { try uses(id) })
  }
}
