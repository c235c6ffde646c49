import Access
import BaseJSON
import BaseStatus
import HTTPTypes
import ServiceModule

/// The console's calls to the server beyond the APIs that every client has.
///
/// The responses are for the page of the server's own origin alone.
struct ConsoleCalls: Sendable {
  private let environment: ConsoleEnvironment

  init(_ environment: ConsoleEnvironment) { self.environment = environment }

  var routes: [HTTPRoute] {
    [route("/console/api/session", session), route("/console/api/projects", projects)]
  }

  private func route(_ path: String, _ answer: @escaping HTTPRoute.Handler) -> HTTPRoute {
    var route = HTTPRoute(.get, RoutePattern(path), for: .administrators) { request in
      try OwnOrigin.require(request)
      return try await answer(request)
    }
    route.decidesOrigins = true
    return route.openToViewers()
  }

  /// Describes the server.
  ///
  /// In development, this includes the credentials of every caller; in production, a caller without
  /// a session learns only how to sign in.
  @Sendable
  private func session(_ request: ServiceRequest) async throws -> ServiceResponse {
    var members: [JSONValue.Member] = [
      .init("mode", .string(environment.isDevelopment ? "development" : "production"))
    ]
    if environment.isDevelopment {
      members.append(.init("token", .string("owner")))
      members.append(.init("role", .string("owner")))
    } else if request.context.authorization == nil {
      return .private(.object(members))
    } else if let administrator = try administrator(request) {
      members += [
        .init("email", .string(administrator.email)),
        .init("role", administrator.roles.server.json),
        .init("projects", administrator.roles.projectsJSON),
      ]
    }
    members += [
      .init("version", .string(environment.version)),
      .init("defaultProject", .string(environment.defaultProject)),
      .init("services", .array(environment.services.map(JSONValue.string))),
    ]
    return .private(.object(members))
  }

  /// The projects by id, with the names of those that have one; for administrators of single projects those.
  @Sendable
  private func projects(_ request: ServiceRequest) async throws -> ServiceResponse {
    let roles = try administrator(request)?.roles
    let (ids, names) = try await environment.threads.run(on: .maintenance) { [environment] in
      let isOfServer = roles.map { $0.server != nil } ?? true
      let found = isOfServer ? try environment.projects() : Set((roles?.projects ?? [:]).keys)
      let ids = found.sorted { $0.string < $1.string }
      let names = try ids.compactMap { id -> JSONValue.Member? in
        let name = try environment.accounts.project(id).configuration().displayName
        return name.map { .init(id.string, .string($0)) }
      }
      return (ids, names)
    }
    var members: [JSONValue.Member] = [
      .init("projects", .array(ids.map { .string($0.string) }))
    ]
    if !names.isEmpty { members.append(.init("names", .object(names))) }
    return .private(.object(members))
  }

  /// Returns the signed-in administrator, of any role; nil in development.
  private func administrator(
    _ request: ServiceRequest
  ) throws(ServiceError) -> SignedInAdministrator? {
    try environment.access.consoleAdministrator(request.context, of: .own)
  }
}

extension ServiceResponse {
  /// A JSON response that is not cached.
  static func `private`(_ body: JSONValue, status: HTTPResponse.Status = .ok) -> ServiceResponse {
    var response = ServiceResponse.json(body.compactBytes, status: status)
    response.headers[.cacheControl] = "no-store"
    response.headers[.xContentTypeOptions] = "nosniff"
    return response
  }
}
