import Access
import FirestoreModel
import FirestoreWire
import HTTPTypes
import KeyValueStore
import ServiceModule

/// What the console asks of the server beyond the APIs that every client has.
///
/// The answers are for the page of the server's own origin alone.
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

  /// What the server is; in development also the credentials that everybody has there, in production no more
  /// than how to sign in, to who has not.
  @Sendable
  private func session(_ request: ServiceRequest) async throws -> ServiceResponse {
    var members: [JSONValue.Member] = [
      .init(name: "mode", value: .string(environment.isDevelopment ? "development" : "production"))
    ]
    if environment.isDevelopment {
      members.append(.init(name: "token", value: .string("owner")))
      members.append(.init(name: "role", value: .string("owner")))
    } else if request.context.authorization == nil {
      return .private(.object(members))
    } else if let administrator = try environment.access.consoleAdministrator(request.context) {
      members.append(.init(name: "email", value: .string(administrator.email)))
      members.append(.init(name: "role", value: .string(administrator.role.rawValue)))
    }
    members += [
      .init(name: "version", value: .string(environment.version)),
      .init(name: "defaultProject", value: .string(environment.defaultProject)),
      .init(name: "services", value: .array(environment.services.map(JSONValue.string))),
    ]
    return .private(.object(members))
  }

  /// The projects that have anything, by name.
  @Sendable
  private func projects(_ request: ServiceRequest) async throws -> ServiceResponse {
    _ = try environment.access.consoleAdministrator(request.context)
    let found = try await environment.threads.run(on: .maintenance) { [environment] in
      try environment.projects().map(\.string).sorted()
    }
    return .private(.object(["projects": .array(found.map(JSONValue.string))]))
  }
}

extension ServiceResponse {
  /// A JSON answer that nobody keeps.
  static func `private`(_ body: JSONValue, status: HTTPResponse.Status = .ok) -> ServiceResponse {
    var response = ServiceResponse.json(body.text, status: status)
    response.headers[.cacheControl] = "no-store"
    response.headers[.xContentTypeOptions] = "nosniff"
    return response
  }
}
