import Access
import AuditTrail
import BaseJSON
import BaseStatus
import BaseText
import FirestoreWire
import Foundation
import HTTPTypes
import ServiceModule

/// The administrators and what they did, for owners.
///
///     GET    /console/api/administrators            the accounts
///     POST   /console/api/administrators            an invitation; its code is shown this once
///     PATCH  /console/api/administrators/{email}    other roles
///     DELETE /console/api/administrators/{email}    answers with the keys that he made, which go on working
///     DELETE /console/api/invitations/{id}          ends an open link
///     GET    /console/api/audit?before=             the audit trail, the newest first
struct AdministratorRoutes: Sendable {
  let environment: ConsoleEnvironment
  let administrators: Administrators
  let audit: AuditTrail

  /// Seconds for which a link to a colleague is valid.
  private static let invitationLifetime: Int64 = 86_400

  var routes: [HTTPRoute] {
    let root = "/console/api/administrators"
    let links = "/console/api/invitations/{id}"
    return [
      .ofConsole(.get, root, environment, performing: .readAdministrators, list),
      .ofConsole(.post, root, environment, performing: .changeAdministrators, invite),
      .ofConsole(
        .patch,
        root + "/{email}",
        environment,
        performing: .changeAdministrators,
        change
      ),
      .ofConsole(
        .delete,
        root + "/{email}",
        environment,
        performing: .changeAdministrators,
        remove
      ),
      .ofConsole(.delete, links, environment, performing: .changeAdministrators, endLink),
      .ofConsole(.get, "/console/api/audit", environment, performing: .readAuditTrail, trail),
    ]
  }

  @Sendable
  private func list(_ request: ServiceRequest) async throws -> ServiceResponse {
    let (found, links) = try await environment.blocking {
      (try administrators.list(), try administrators.openInvitations())
    }
    return .private(
      .object([
        "administrators": .array(found.map(\.json)), "invitations": .array(links.map(\.json)),
      ])
    )
  }

  @Sendable
  private func invite(_ request: ServiceRequest) async throws -> ServiceResponse {
    let body = try await ConsoleBody(request)
    let (email, roles) = (try body.required("email"), try Self.roles(body))
    let maker = try environment.access.consoleAdministrator(request.context, of: .server)
    request.context.actor?.note(subject: "invite \(email) as \(roles.subject)")
    let code = try await environment.blocking {
      try administrators.invite(
        email: email,
        roles: roles,
        lifetime: Self.invitationLifetime,
        by: maker
      )
    }
    return .private(.object(["code": .string(code)]))
  }

  @Sendable
  private func change(_ request: ServiceRequest) async throws -> ServiceResponse {
    let roles = try Self.roles(try await ConsoleBody(request))
    let email = request.parameters["email"] ?? ""
    request.context.actor?.note(subject: "change \(email) to \(roles.subject)")
    try await environment.blocking { try administrators.setRoles(roles, of: email) }
    return .private(.object([JSONValue.Member]()))
  }

  @Sendable
  private func remove(_ request: ServiceRequest) async throws -> ServiceResponse {
    let email = request.parameters["email"] ?? ""
    let keys = try await environment.blocking { [keys = environment.keys] in
      try administrators.remove(email)
      return try keys?.made(by: email) ?? []
    }
    return .private(.object(["keys": .array(keys.map { .string($0.text) })]))
  }

  @Sendable
  private func endLink(_ request: ServiceRequest) async throws -> ServiceResponse {
    let id = request.parameters["id"] ?? ""
    let actor = request.context.actor
    let isEnded = try await environment.blocking {
      let link = try administrators.openInvitations().first { $0.id == id }
      guard try administrators.endInvitation(id) else { return false }
      actor?.note(subject: "end the link of \(link?.email ?? "anybody")")
      return true
    }
    guard isEnded else {
      throw ServiceError(.notFound, "There is no open link with this ID.")
    }
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

  private static func roles(_ body: ConsoleBody) throws(ServiceError) -> AdministratorRoles {
    try AdministratorRoles(server: body.text("role"), projects: try body.texts("projects"))
  }
}

extension AdministratorRoles {
  /// The roles as the audit trail names them: `editor of shop, viewer of blog`.
  fileprivate var subject: String {
    let single = projects.map { "\($0.value.rawValue) of \($0.key.string)" }.sorted()
    let all = server.map { ["\($0.rawValue) of all projects"] } ?? []
    return (all + single).joined(separator: ", ")
  }
}

extension AdministratorAccount {
  fileprivate var json: JSONValue {
    .object([
      "email": .string(email), "role": roles.server.json, "projects": roles.projectsJSON,
      "hasSecondFactor": .boolean(hasSecondFactor), "disabled": .boolean(isDisabled),
      "lastSignIn": lastSignIn.map { .string(String($0)) } ?? .null,
    ])
  }
}

extension OpenInvitation {
  fileprivate var json: JSONValue {
    .object([
      "id": .string(id), "email": email.map(JSONValue.string) ?? .null,
      "role": roles.server.json, "projects": roles.projectsJSON,
      "maker": maker.map(JSONValue.string) ?? .null, "end": .number(String(end)),
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
      "subjects": .array(event.subjects.map(JSONValue.string)),
      "digest": .string(Base64.url(digest)),
    ])
  }
}
