import Access
import FirestoreModel
import FirestoreWire
import HTTPTypes
import Installations
import KeyValueStore
import ServiceModule

extension ServiceModule {
  /// The installations of apps: ids and tokens, which Remote Config and messaging ask apps for.
  ///
  /// It is `firebaseinstallations.googleapis.com` v1.
  package static func installations(
    _ tokens: InstallationTokens,
    keys: ProjectKeys,
    threads: EngineThreads,
    clock: MicrosecondClock = .system
  ) -> ServiceModule {
    var module = ServiceModule("installations")
    module.hosts = ["firebaseinstallations.googleapis.com"]
    module.routes =
      InstallationRoutes(tokens: tokens, keys: keys, threads: threads, clock: clock).routes
    return module
  }
}

/// What apps call, with the project's API key.
///
/// Below `/v1/projects/{project}`; iOS has a slash at the end of some:
///
///     POST   /installations                               makes an installation known
///     POST   /installations/{id}/authTokens:generate      a new token, for the refresh token
///     DELETE /installations/{id}                          ends the installation
private struct InstallationRoutes: Sendable {
  let tokens: InstallationTokens
  let keys: ProjectKeys
  let threads: EngineThreads
  let clock: MicrosecondClock

  private static let bodyLimit = 16 << 10
  /// Characters of an app's id.
  private static let appIDLength = 256

  var routes: [HTTPRoute] {
    let root = "/v1/projects/{project}/installations"
    return ["", "/"].flatMap { end in
      [
        HTTPRoute(.post, RoutePattern(root + end), for: .clients, handler: register),
        HTTPRoute(.delete, RoutePattern(root + "/{id}" + end), for: .clients, handler: delete),
      ]
    } + [
      HTTPRoute(
        .post,
        RoutePattern(root + "/{id}/authTokens:generate"),
        for: .clients,
        handler: generate
      )
    ]
  }

  private func register(_ request: ServiceRequest) async throws -> ServiceResponse {
    let project = try await project(of: request)
    let body = try await body(of: request)
    guard let appID = body["appId"]?.string, !appID.isEmpty, appID.count <= Self.appIDLength else {
      throw FirestoreError.invalidArgument("Installation has no app id.")
    }
    let asked = body["fid"]?.string ?? ""
    let id = InstallationTokens.isID(asked) ? asked : InstallationTokens.newID()
    let installation = InstallationTokens.Installation(project: project, id: id, appID: appID)
    return .json(
      .object([
        .init("name", .string("projects/\(project.string)/installations/\(id)")),
        .init("fid", .string(id)),
        .init("refreshToken", .string(tokens.refreshToken(of: installation))),
        .init("authToken", authToken(of: installation)),
      ])
    )
  }

  private func generate(_ request: ServiceRequest) async throws -> ServiceResponse {
    _ = try await body(of: request)
    return .json(authToken(of: try await installation(of: request)))
  }

  /// Nothing is kept, so that there is nothing to forget.
  private func delete(_ request: ServiceRequest) async throws -> ServiceResponse {
    _ = try await installation(of: request)
    return .json(.object([]))
  }

  private func authToken(of installation: InstallationTokens.Installation) -> JSONText {
    let token = tokens.authToken(of: installation, now: clock.now() / 1_000_000)
    return .object([
      .init("token", .string(token)),
      .init("expiresIn", .string("\(InstallationTokens.lifetime)s")),
    ])
  }

  /// The installation whose refresh token the request has.
  private func installation(
    of request: ServiceRequest
  ) async throws -> InstallationTokens.Installation {
    let project = try await project(of: request)
    let scheme = "FIS_v2 "
    guard let authorization = request.context.authorization, authorization.hasPrefix(scheme),
      let known = tokens.installation(
        request.parameters["id"] ?? "",
        of: project,
        refreshToken: String(authorization.dropFirst(scheme.count))
      )
    else {
      throw FirestoreError(.unauthenticated, "The refresh token is not the installation's.")
    }
    return known
  }

  private func project(of request: ServiceRequest) async throws -> Text {
    let key = try QueryParameters(request.query).apiKey ?? request.headers[.googleAPIKey]
    let path = Text(request.parameters["project"] ?? "")
    return try await threads.run(caller: request.context.network) {
      try keys.project(key: key, path: path)
    }
  }

  private func body(of request: ServiceRequest) async throws -> JSONText {
    let bytes = try await request.collectText(upTo: Self.bodyLimit)
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw FirestoreError.invalidArgument("The body is not valid UTF-8.")
    }
    return text.isEmpty ? .object([]) : try JSONText(parsing: text)
  }
}

extension ServiceResponse {
  /// A JSON answer.
  fileprivate static func json(_ json: JSONText) -> ServiceResponse {
    .json(Array(json.compact.utf8))
  }
}

extension HTTPField.Name {
  /// The field `x-goog-api-key`.
  fileprivate static let googleAPIKey: HTTPField.Name = {
    guard let field = HTTPField.Name("x-goog-api-key") else {
      preconditionFailure("the literal is a field's name")
    }
    return field
  }()
}
