import Authentication
import BaseJSON
import BaseStatus
import BaseText
import FirestoreModel
import FirestoreWire
import HTTPTypes
import ServiceModule

/// The composition's access to apps' configuration files.
package struct AppFiles: Sendable {
  /// A file's name and text, for an app of a project.
  package typealias Make =
    @Sendable (_ app: RegisteredApp, _ project: String, _ form: String?) throws -> (
      name: String, text: String
    )

  /// Makes a file.
  package let file: Make
  let projectNumber: @Sendable (Text) -> UInt32

  /// - Parameters:
  ///   - file: Makes a file of a form; nil is the usual one of the app's platform.
  ///   - projectNumber: The number that clients know a project by.
  package init(file: @escaping Make, projectNumber: @escaping @Sendable (Text) -> UInt32) {
    self.file = file
    self.projectNumber = projectNumber
  }
}

/// A project's apps, and the keys of service accounts.
///
///     GET, POST  /console/api/projects/{project}/apps            lists, registers
///     DELETE     /console/api/projects/{project}/apps/{id}
///     GET        /console/api/projects/{project}/apps/{id}/file?form=
///     GET, POST  /console/api/projects/{project}/keys            lists those of all projects, with HMAC keys; makes one
///                                                                of a service account, whose file is shown this once
///     DELETE     /console/api/projects/{project}/keys/{id}
struct AppRoutes: Sendable {
  let environment: ConsoleEnvironment
  let files: AppFiles
  let accounts: Accounts

  var routes: [HTTPRoute] {
    let (apps, keys) = (
      "/console/api/projects/{project}/apps", "/console/api/projects/{project}/keys"
    )
    let ofApps: [HTTPRoute] = [
      .ofConsole(.get, apps, environment, list), .ofConsole(.post, apps, environment, register),
      .ofConsole(.delete, apps + "/{id}", environment, forget),
      .ofConsole(.get, apps + "/{id}/file", environment, file),
    ]
    let ofKeys: [HTTPRoute] = [
      .ofConsole(.get, keys, environment, performing: .listKeys, listKeys),
      .ofConsole(.post, keys, environment, performing: .makeKey, makeKey),
      .ofConsole(.delete, keys + "/{id}", environment, performing: .revokeKey, revokeKey),
    ]
    return ofApps.map { $0.openToViewers() } + ofKeys
  }

  // MARK: Apps

  @Sendable
  private func list(_ request: ServiceRequest) async throws -> ServiceResponse {
    let scope = try scope(request)
    let found = try await blocking { try scope.apps() }
    return .private(.object(["apps": .array(found.map(\.json))]))
  }

  @Sendable
  private func register(_ request: ServiceRequest) async throws -> ServiceResponse {
    let body = try await ConsoleBody(request)
    guard let platform = RegisteredApp.Platform(rawValue: try body.required("platform")) else {
      throw ServiceError.invalidArgument("A platform must be ios, android, web or linux.")
    }
    let (scope, number) = (try scope(request), files.projectNumber(try project(request)))
    if body.text("teamId") != nil || body.text("fingerprints") != nil {
      try await requireAssociation(request)
    }
    let app = try await blocking {
      try scope.registerApp(
        platform,
        bundleID: body.text("bundleId"),
        displayName: body.text("displayName"),
        teamID: body.text("teamId"),
        fingerprints: body.text("fingerprints").map {
          $0.split(whereSeparator: { $0 == "," || $0.isWhitespace }).map(String.init)
        },
        projectNumber: number
      )
    }
    return .private(app.json)
  }

  /// Throws for an administrator who may not connect apps with the server's address.
  private func requireAssociation(_ request: ServiceRequest) async throws {
    let (access, project) = (environment.access, try project(request))
    _ = try await environment.blocking {
      try access.caller(for: .associateApps, of: project, request.context)
    }
  }

  @Sendable
  private func forget(_ request: ServiceRequest) async throws -> ServiceResponse {
    let (scope, id) = (try scope(request), request.parameters["id"] ?? "")
    guard try await blocking({ try scope.removeApp(id) }) else { throw Self.noApp }
    return .private(.object([JSONValue.Member]()))
  }

  @Sendable
  private func file(_ request: ServiceRequest) async throws -> ServiceResponse {
    let (scope, id) = (try scope(request), request.parameters["id"] ?? "")
    let form = try QueryParameters(request.query).parameters.first { $0.name == "form" }?.value
    guard let app = try await blocking({ try scope.app(id) }) else { throw Self.noApp }
    let made = try files.file(app, try project(request).string, form)
    return .private(.object(["name": .string(made.name), "text": .string(made.text)]))
  }

  // MARK: Keys

  @Sendable
  private func listKeys(_ request: ServiceRequest) async throws -> ServiceResponse {
    let (accounts, environment) = (accounts, environment)
    let project = try project(request)
    let (keys, serverKeys) = try await blocking { () -> ([JSONValue], [JSONValue]) in
      let all = try environment.keys?.all() ?? accounts.serviceAccounts.all.map { IssuedKey($0) }
      func json(_ keys: [IssuedKey]) throws -> [JSONValue] {
        try keys.map { $0.json(isMakerGone: try environment.administrators.isMakerGone($0)) }
      }
      return (
        try json(all.filter { $0.kind != .serverKey }),
        try json(all.filter { $0.kind == .serverKey && $0.project == project })
      )
    }
    return .private(.object(["keys": .array(keys), "serverKeys": .array(serverKeys)]))
  }

  @Sendable
  private func makeKey(_ request: ServiceRequest) async throws -> ServiceResponse {
    let name = try await ConsoleBody(request).required("name")
    let (accounts, project) = (accounts, try project(request))
    let maker = try environment.access.consoleAdministrator(request.context, of: .server)
    let made = try await blocking {
      try accounts.serviceAccounts.create(
        name,
        role: .admin,
        project: project,
        origin: accounts.origin,
        by: maker?.email ?? ""
      )
    }
    return .private(.object(["name": .string("\(name).json"), "text": .string(made.file)]))
  }

  @Sendable
  private func revokeKey(_ request: ServiceRequest) async throws -> ServiceResponse {
    let (accounts, keys, id) = (accounts, environment.keys, request.parameters["id"] ?? "")
    let isRevoked = try await blocking {
      guard accounts.serviceAccounts.all.contains(where: { $0.keyID == id }) else {
        return try keys?.revokeSecret(id) ?? false
      }
      return try !accounts.serviceAccounts.revoke(id).isEmpty
    }
    guard isRevoked else { throw ServiceError(.notFound, "The key does not exist.") }
    return .private(.object([JSONValue.Member]()))
  }

  // MARK: Parts

  private func project(_ request: ServiceRequest) throws -> Text {
    let project = Text(request.parameters["project"] ?? "")
    try DatabaseID(project: project, database: "(default)").checkCreatable()
    return project
  }

  private func scope(_ request: ServiceRequest) throws -> ProjectAccounts {
    accounts.project(try project(request))
  }

  private func blocking<R: Sendable>(
    _ work: @escaping @Sendable () throws -> R
  ) async throws -> R {
    do {
      return try await environment.blocking(work)
    } catch let error as AccountError {
      throw ServiceError(.invalidArgument, error.message, cause: error)
    }
  }

  private static let noApp = ServiceError(.notFound, "The app does not exist.")
}

extension RegisteredApp {
  fileprivate var json: JSONValue {
    .object([
      "id": .string(id), "platform": .string(platform.rawValue),
      "bundleId": bundleID.map(JSONValue.string) ?? .null,
      "displayName": displayName.map(JSONValue.string) ?? .null,
      "teamId": teamID.map(JSONValue.string) ?? .null,
      "fingerprints": .array((fingerprints ?? []).map(JSONValue.string)),
      "createdAt": .number(String(createdAt / 1_000)),
    ])
  }
}

extension IssuedKey.Kind {
  fileprivate var json: String {
    switch self {
    case .serviceAccount: "account"
    case .sharedSecret: "hmac"
    case .serverKey: "server"
    }
  }
}

extension IssuedKey {
  fileprivate func json(isMakerGone: Bool) -> JSONValue {
    .object([
      "id": .string(id), "kind": .string(kind.json),
      "email": .string(email ?? ""), "role": .string(ServiceAccount.Role.admin.rawValue),
      "project": .string(project.string), "createdAt": .number(String(createdAt)),
      "maker": .string(maker), "isMakerGone": .boolean(isMakerGone), "isActive": .boolean(isActive),
    ])
  }
}
