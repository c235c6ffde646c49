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
    [
      HTTPRoute(.get, "/console/api/session", for: .administrators, handler: session),
      HTTPRoute(.get, "/console/api/projects", for: .administrators, handler: projects),
    ]
  }

  /// What the server is; in development also the credentials that everybody has there.
  @Sendable
  private func session(_ request: ServiceRequest) async throws -> ServiceResponse {
    try OwnOrigin.require(request)
    var members: [JSONValue.Member] = [
      .init(name: "mode", value: .string(environment.isDevelopment ? "development" : "production")),
      .init(name: "version", value: .string(environment.version)),
      .init(name: "defaultProject", value: .string(environment.defaultProject)),
      .init(name: "services", value: .array(environment.services.map(JSONValue.string))),
    ]
    if environment.isDevelopment {
      members.append(.init(name: "token", value: .string("owner")))
      members.append(.init(name: "role", value: .string("owner")))
    }
    return .private(.object(members))
  }

  /// The projects that have anything, by name.
  @Sendable
  private func projects(_ request: ServiceRequest) async throws -> ServiceResponse {
    try OwnOrigin.require(request)
    let (access, context) = (environment.access, request.context)
    let found = try await environment.threads.run(on: .maintenance) { [environment] in
      try access.requireAdministration(try access.identify(context))
      return try environment.projects().map(\.string).sorted()
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
