import BaseStatus
import BaseText
import FirestoreModel
import FirestoreService
import HTTPTypes
import ServiceModule

/// Development mode's helper routes, which Google's emulator has too.
///
/// - `DELETE /emulator/v1/projects/{project}/databases/{database}/documents` clears a database.
/// - `DELETE …/documents/{path}` deletes a document or a collection with everything below it.
/// - `POST /reset` clears every database.
///
/// Administrators' work: open to callers without a token, but not to users.
struct EmulatorRoutes: Sendable {
  let operations: EmulatorOperations

  var routes: [HTTPRoute] {
    let documents = "/emulator/v1/projects/{project}/databases/{database}/documents"
    return [
      HTTPRoute(.delete, RoutePattern(documents), for: .administrators, handler: clear),
      HTTPRoute(
        .delete,
        RoutePattern(documents + "/{path=**}"),
        for: .administrators,
        handler: deleteTree
      ),
      HTTPRoute(.post, "/reset", for: .administrators, handler: reset),
    ]
  }

  @Sendable
  private func clear(_ request: ServiceRequest) async throws -> ServiceResponse {
    let permit = try await operations.permit(request.context)
    try await operations.clear(try Self.database(request), permit)
    return Self.done
  }

  @Sendable
  private func reset(_ request: ServiceRequest) async throws -> ServiceResponse {
    try await operations.clearAll(try await operations.permit(request.context))
    return Self.done
  }

  @Sendable
  private func deleteTree(_ request: ServiceRequest) async throws -> ServiceResponse {
    let permit = try await operations.permit(request.context)
    let id = try Self.database(request)
    if request.rest == [""] {
      try await operations.clear(id, permit)
    } else {
      try await operations.deleteTree(try Self.path(request.rest, in: id), in: id, permit)
    }
    return Self.done
  }

  /// The path of a document or a collection; refuses paths that no name can have.
  private static func path(_ parts: [String], in id: DatabaseID) throws -> ResourcePath {
    let segments = try parts.map(checked)
    let isCollection = !segments.count.isMultiple(of: 2)
    // A collection is named by a document that it could have.
    let named = isCollection ? segments + ["x"] : segments
    let name = "\(id.path)/documents/\(named.joined(separator: "/"))"
    let path = try DocumentName(parsing: name).path
    return isCollection ? path.parent : path
  }

  private static func database(_ request: ServiceRequest) throws -> DatabaseID {
    // The route table leaves escapes that mean nothing as they are; here they could be taken for a name.
    for part in request.path.split(separator: "/") where PercentEncoding.decode(part) == nil {
      throw malformed(part)
    }
    return DatabaseID(
      project: Text(try checked(request.parameters["project"] ?? "")),
      database: Text(try checked(request.parameters["database"] ?? ""))
    )
  }

  /// A decoded segment of the path, if it can be one of a name.
  private static func checked(_ segment: String) throws -> String {
    guard !segment.contains("/") else { throw malformed(segment) }
    return segment
  }

  private static func malformed(_ part: some StringProtocol) -> ServiceError {
    .invalidArgument("The URL's path has a malformed part: \"\(part)\".")
  }

  private static var done: ServiceResponse { .json(Array("{}".utf8)) }
}
