import Access
import AuditTrail
import FirestoreModel
import FirestoreWire
import Foundation
import HTTPTypes
import KeyValueStore
import ServiceModule

/// The administrators and what they did, for owners.
///
///     GET    /console/api/administrators            the accounts
///     POST   /console/api/administrators            an invitation; its code is shown this once
///     PATCH  /console/api/administrators/{email}    other roles
///     DELETE /console/api/administrators/{email}
///     GET    /console/api/audit?before=             the audit trail, the newest first
struct AdministratorRoutes: Sendable {
  let environment: ConsoleEnvironment
  let administrators: Administrators
  let audit: AuditTrail

  /// Seconds for which a link to a colleague is valid.
  private static let invitationLifetime: Int64 = 86_400

  var routes: [HTTPRoute] {
    let root = "/console/api/administrators"
    let routes: [HTTPRoute] = [
      .ofConsole(.get, root, environment, list), .ofConsole(.post, root, environment, invite),
      .ofConsole(.patch, root + "/{email}", environment, change),
      .ofConsole(.delete, root + "/{email}", environment, remove),
      .ofConsole(.get, "/console/api/audit", environment, trail),
    ]
    return routes.map { $0.demanding { _, _ in .owner } }
  }

  @Sendable
  private func list(_ request: ServiceRequest) async throws -> ServiceResponse {
    let found = try await environment.blocking { try administrators.list() }
    return .private(.object(["administrators": .array(found.map(\.json))]))
  }

  @Sendable
  private func invite(_ request: ServiceRequest) async throws -> ServiceResponse {
    let body = try await ConsoleBody(request)
    let (email, roles) = (try body.required("email"), try Self.roles(body))
    let code = try await environment.blocking {
      try administrators.invite(email: email, roles: roles, lifetime: Self.invitationLifetime)
    }
    return .private(.object(["code": .string(code)]))
  }

  @Sendable
  private func change(_ request: ServiceRequest) async throws -> ServiceResponse {
    let roles = try Self.roles(try await ConsoleBody(request))
    let email = request.parameters["email"] ?? ""
    try await environment.blocking { try administrators.setRoles(roles, of: email) }
    return .private(.object([JSONValue.Member]()))
  }

  @Sendable
  private func remove(_ request: ServiceRequest) async throws -> ServiceResponse {
    let email = request.parameters["email"] ?? ""
    try await environment.blocking { try administrators.remove(email) }
    return .private(.object([JSONValue.Member]()))
  }

  @Sendable
  private func trail(_ request: ServiceRequest) async throws -> ServiceResponse {
    let before = try QueryParameters(request.query).parameters.first { $0.name == "before" }
    let number = before.flatMap { Int64($0.value) }
    let found = try await environment.blocking {
      try audit.entries(before: number, limit: Self.page)
    }
    return .private(.object(["entries": .array(found.map(\.json))]))
  }

  private static let page = 100

  private static func roles(_ body: ConsoleBody) throws(FirestoreError) -> AdministratorRoles {
    try AdministratorRoles(server: body.text("role"), projects: try body.texts("projects"))
  }
}

extension AdministratorAccount {
  fileprivate var json: JSONValue {
    .object([
      "email": .string(email), "role": roles.server.json, "projects": roles.projectsJSON,
      "hasSecondFactor": .bool(hasSecondFactor), "disabled": .bool(isDisabled),
      "lastSignIn": lastSignIn.map { .string(String($0)) } ?? .null,
    ])
  }
}

extension AuditEntry {
  fileprivate var json: JSONValue {
    .object([
      "number": .number(String(number)), "time": .number(String(time / 1_000)),
      "administrator": .string(event.administrator), "address": .string(event.address),
      "action": .string(event.action), "target": .string(event.target),
      "status": .number(String(event.status)), "request": .string(event.requestID),
      "digest": .string(Base64.url(digest)),
    ])
  }
}
