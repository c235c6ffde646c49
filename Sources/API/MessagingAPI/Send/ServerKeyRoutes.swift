import BaseJSON
import BaseStatus
import BaseText
import HTTPTypes
import PushMessaging
import ServiceModule

/// The keys by which back ends send in the legacy form, for administrators.
///
///     GET    /v1/projects/{project}/serverKeys           the keys by name, never their texts
///     POST   /v1/projects/{project}/serverKeys           makes one {name}; its text is answered this once
///     DELETE /v1/projects/{project}/serverKeys/{name}    revokes it: the next request with it is refused
struct ServerKeyRoutes: Sendable {
  let environment: MessagingEnvironment

  private static let bodyLimit = 4 << 10

  private var service: PushService { environment.service }

  var routes: [HTTPRoute] {
    let root = "/v1/projects/{project}/serverKeys"
    return [
      messagingRoute(.get, root, for: .administrators, handler: list).performing(.listServerKeys),
      messagingRoute(.post, root, for: .administrators, handler: add).performing(.changeServerKeys),
      messagingRoute(.delete, root + "/{name}", for: .administrators, handler: revoke)
        .performing(.changeServerKeys),
    ]
  }

  private func list(_ request: ServiceRequest) async throws -> ServiceResponse {
    try await environment.requireSender(request)
    let keys = try await service.serverKeys(of: Text(request.variable("project"))).map { key in
      JSONValue.object([
        .init("name", .string(key.name)), .init("hint", .string(key.hint)),
        .init("createdAt", .integer(key.created / 1_000)), .init("createdBy", .string(key.maker)),
      ])
    }
    return .json(.object([.init("keys", .array(keys))]))
  }

  private func add(_ request: ServiceRequest) async throws -> ServiceResponse {
    try await environment.requireSender(request)
    let name = try await request.object(upTo: Self.bodyLimit)["name"]?.string ?? ""
    let text = try await service.makeServerKey(
      named: name,
      of: Text(request.variable("project")),
      by: try await environment.accountName(request)
    )
    var response = ServiceResponse.json(
      .object([.init("name", .string(name)), .init("key", .string(text))])
    )
    response.headers[.cacheControl] = "no-store"
    return response
  }

  private func revoke(_ request: ServiceRequest) async throws -> ServiceResponse {
    try await environment.requireSender(request)
    let isRevoked = try await service.revokeServerKey(
      named: request.variable("name"),
      of: Text(request.variable("project"))
    )
    guard isRevoked else { throw ServiceError(.notFound, "There is no key with this name.") }
    return .emptyObject
  }
}
