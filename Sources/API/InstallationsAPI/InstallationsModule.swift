import Access
import BaseJSON
import BaseRuntime
import BaseStatus
import BaseText
import FirestoreWire
import HTTPTypes
import Installations
import ServiceModule

extension ServiceModule {
  /// The installations of apps: ids and tokens, which Remote Config and messaging ask apps for.
  ///
  /// It is `firebaseinstallations.googleapis.com` v1. The number of installations that a network
  /// can create in an hour, nil for no limit: an installation counts in experiments and has shares
  /// of Analytics. `observer` is notified of installations that apps show and end.
  package static func installations(
    _ tokens: InstallationTokens,
    keys: ProjectKeys,
    threads: EngineThreads,
    perNetwork: Int?,
    observer: (any InstallationObserver)? = nil,
    clock: MicrosecondClock = .system
  ) -> ServiceModule {
    var module = ServiceModule("installations")
    module.hosts = ["firebaseinstallations.googleapis.com"]
    let routes = InstallationRoutes(
      tokens: tokens,
      keys: keys,
      threads: threads,
      quota: perNetwork.map { NetworkQuota(limit: $0) },
      observer: observer,
      clock: clock
    )
    module.routes = routes.routes
    return module
  }
}

/// The routes that apps call, with the project's API key.
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
  let quota: NetworkQuota?
  let observer: (any InstallationObserver)?
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
      throw ServiceError.invalidArgument("The installation has no app ID.")
    }
    let id = try id(of: request, body, in: project)
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

  /// The id that a request proves to be its own, or a new one; RESOURCE_EXHAUSTED where its network made too many.
  private func id(
    of request: ServiceRequest,
    _ body: JSONValue,
    in project: Text
  ) throws(ServiceError) -> String {
    let asked = body["fid"]?.string.flatMap { InstallationTokens.isID($0) ? $0 : nil }
    if let asked, isKnown(asked, request, in: project) { return asked }
    guard quota?.take(request.context.network, now: clock.now()) ?? true else {
      throw ServiceError(
        .resourceExhausted,
        "Too many installations were created. Try again later."
      )
    }
    let secret = body["fidSecret"]?.string
    if let asked, secret.flatMap(InstallationTokens.id(provedBy:)) == asked { return asked }
    return InstallationTokens.newID()
  }

  /// Returns true for the refresh token of an id, which an installation has that was made before.
  ///
  /// An id is no secret, being the half of every registration token that back ends see: tokens of one that is only named would be
  /// another device's. The proofs are the id's refresh token, and the secret that it was made of.
  private func isKnown(_ id: String, _ request: ServiceRequest, in project: Text) -> Bool {
    guard let token = Self.refreshToken(of: request) else { return false }
    return tokens.installation(id, of: project, refreshToken: token) != nil
  }

  private func generate(_ request: ServiceRequest) async throws -> ServiceResponse {
    _ = try await body(of: request)
    let installation = try await installation(of: request)
    try await observer?.wasShown(installation)
    return .json(authToken(of: installation))
  }

  /// Nothing is kept, so that there is nothing to forget here.
  private func delete(_ request: ServiceRequest) async throws -> ServiceResponse {
    let installation = try await installation(of: request)
    try await observer?.wasDeleted(installation)
    return .json(.object([]))
  }

  private func authToken(of installation: InstallationTokens.Installation) -> JSONValue {
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
    let id = request.parameters["id"] ?? ""
    guard let token = Self.refreshToken(of: request),
      let known = tokens.installation(id, of: project, refreshToken: token)
    else {
      throw ServiceError(.unauthenticated, "The refresh token belongs to another installation.")
    }
    return known
  }

  private static func refreshToken(of request: ServiceRequest) -> String? {
    let scheme = "FIS_v2 "
    guard let authorization = request.context.authorization, authorization.hasPrefix(scheme)
    else { return nil }
    return String(authorization.dropFirst(scheme.count))
  }

  private func project(of request: ServiceRequest) async throws -> Text {
    let key = try QueryParameters(request.query).apiKey ?? request.headers[.googleAPIKey]
    let path = Text(request.parameters["project"] ?? "")
    return try await threads.run(caller: request.context.network) {
      try keys.project(key: key, path: path)
    }
  }

  private func body(of request: ServiceRequest) async throws -> JSONValue {
    let bytes = try await request.collectText(upTo: Self.bodyLimit)
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw ServiceError.invalidArgument("The body is not valid UTF-8.")
    }
    return text.isEmpty ? .object([]) : try JSONValue(parsing: text)
  }
}

extension ServiceResponse {
  /// A JSON response.
  fileprivate static func json(_ json: JSONValue) -> ServiceResponse {
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
