import Access
import Authentication
import BaseJSON
import BaseStatus
import BaseText
import HTTPTypes
import ServiceModule

/// The registered apps of projects, as the Firebase Management API has them.
///
/// Below `/v1beta1/projects/{project}`, where the project of an app may be `-`:
///
///     GET, POST        /iosApps, /androidApps, /webApps
///     GET              /iosApps/{app}, …, and /config of each
///     POST             /iosApps/{app}:remove, …
///     GET, POST        /androidApps/{app}/sha
///     GET              :searchApps
///
/// and `/v1beta1/operations/{operation}`, whose name holds what was made.
struct AppRoutes: ProjectScoped {
  let environment: ManagementEnvironment

  var routes: [HTTPRoute] {
    let search = route(.get, "/v1beta1/projects/{project}:searchApps") { call in
      let apps = try call.scope().apps().filter { $0.platform != .linux }
      return try call.page("apps", of: try apps.map { try call.found($0) })
    }
    return AppKind.allCases.flatMap(routes) + fingerprints + [search, operation, done]
  }

  private func routes(_ kind: AppKind) -> [HTTPRoute] {
    let root = "/v1beta1/projects/{project}/\(kind.rawValue)"
    return [
      route(.get, RoutePattern(root)) { call in
        let apps = try call.scope().apps().filter { $0.platform == kind.platform }
        return try call.page("apps", of: try apps.map { try call.json($0) })
      },
      route(.post, RoutePattern(root)) { try Self.register(kind, $0) },
      route(.get, RoutePattern(root + "/{app}")) { call in
        .value(try call.json(try call.app(of: kind)))
      },
      route(.get, RoutePattern(root + "/{app}/config")) { try Self.configuration(kind, $0) },
      route(.post, RoutePattern(root + "/{app}:remove")) { call in
        let app = try call.app(of: kind)
        guard try call.scope().removeApp(app.id) else { throw Self.noApp(app.id) }
        return call.operation(done: .object([]))
      },
    ]
  }

  /// SHA-256 fingerprints connect an app with the server's address, which all projects share.
  private var fingerprints: [HTTPRoute] {
    let path: RoutePattern = "/v1beta1/projects/{project}/androidApps/{app}/sha"
    return [
      route(.get, path) { call in
        let app = try call.app(of: .androidApps)
        let all = (app.fingerprints ?? []).map { call.certificate($0, of: app) }
        return .object(all.isEmpty ? [] : [.init("certificates", .array(all))])
      },
      route(.post, path, takes: .associateApps) { _ in
        throw ServiceError(
          .unimplemented,
          "Fingerprints can be set only when an app is registered: brasa apps create android --sha256."
        )
      },
    ]
  }

  private static func register(_ kind: AppKind, _ call: ManagementCall) throws -> ServiceResponse {
    let body = try call.body()
    let project = try call.project()
    let name = kind.bundleMember.flatMap { body[$0]?.string } ?? body["displayName"]?.string
    call.request.context.actor?.note(subject: "register app \(name ?? "without a name")")
    let app: RegisteredApp
    do {
      app = try call.scope().registerApp(
        kind.platform,
        bundleID: kind.bundleMember.flatMap { body[$0]?.string },
        displayName: body["displayName"]?.string.flatMap { $0.isEmpty ? nil : $0 },
        projectNumber: call.environment.numbers.number(project)
      )
    } catch let error as AccountError {
      let isTaken = error.code == .configurationExists
      throw ServiceError(isTaken ? .alreadyExists : .invalidArgument, error.message)
    }
    return call.operation(done: try call.json(app), app)
  }

  private static func configuration(
    _ kind: AppKind,
    _ call: ManagementCall
  ) throws -> ServiceResponse {
    let app = try call.app(of: kind)
    let project = try call.project().string
    let (name, text) = try call.environment.file(app, project)
    guard kind == .webApps else {
      return .object([
        .init("configFilename", .string(name)),
        .init("configFileContents", .string(Base64.standard(Array(text.utf8)))),
      ])
    }
    return .value(try JSONValue(parsing: text))
  }

  // MARK: Operations

  /// Every operation is done with its response; a later request for the operation returns the
  /// result.
  private var operation: HTTPRoute {
    HTTPRoute(.get, "/v1beta1/operations/{operation}", for: .administrators) {
      [environment] request in
      let name = request.parameters["operation"] ?? ""
      let parts = name.split(separator: ".").map(String.init)
      return try await environment.threads.run(on: .maintenance) {
        if parts.count == 2, parts[0] == "project" {
          return try Self.projectOperation(parts[1], name, request, environment)
        }
        guard parts.count == 2, parts[0] == "app" else {
          try Self.requireAnybody(environment, request)
          throw ServiceError(.notFound, "There is no operation \(name.prefix(100)).")
        }
        let numbered = ServiceRequest(request, parameters: ["project": "-", "app": parts[1]])
        let call = ManagementCall(environment: environment, request: numbered, bytes: [])
        let project = try call.project()
        try environment.access.requireAdministration(
          try environment.access.identify(request.context),
          of: project
        )
        guard let app = try call.scope().app(parts[1]) else { throw Self.noApp(parts[1]) }
        return call.operation(done: try call.json(app), app)
      }
    }.openToViewers()
  }

  /// The operation that added Firebase to a project.
  private static func projectOperation(
    _ id: String,
    _ name: String,
    _ request: ServiceRequest,
    _ environment: ManagementEnvironment
  ) throws -> ServiceResponse {
    let numbered = ServiceRequest(request, parameters: ["project": id])
    let call = ManagementCall(environment: environment, request: numbered, bytes: [])
    let project = try call.project()
    try environment.access.requireAdministration(
      try environment.access.identify(request.context),
      of: project
    )
    try call.requireKnown(project)
    return call.operation(done: try call.firebaseProject(project), named: name)
  }

  private var done: HTTPRoute {
    HTTPRoute(.get, "/v1beta1/operations/noop.DONE_OPERATION", for: .administrators) {
      [environment] request in
      try await environment.threads.run { try Self.requireAnybody(environment, request) }
      return .object([
        .init("name", .string("operations/noop.DONE_OPERATION")), .init("done", .boolean(true)),
        .init("response", .object([])),
      ])
    }.openToViewers()
  }

  /// Throws for every caller without an administrator's role.
  private static func requireAnybody(
    _ environment: ManagementEnvironment,
    _ request: ServiceRequest
  ) throws {
    let caller = try environment.access.identify(request.context)
    if case .projectAdministrator = caller { return }
    try environment.access.requireAdministration(caller)
  }

  static func noApp(_ id: String) -> ServiceError {
    ServiceError(.notFound, "There is no app \(id.prefix(200)).")
  }
}

/// The collections of apps.
enum AppKind: String, CaseIterable, Sendable {
  case iosApps, androidApps, webApps

  var platform: RegisteredApp.Platform {
    switch self {
    case .iosApps: .ios
    case .androidApps: .android
    case .webApps: .web
    }
  }

  /// The member that has the app's name at its system.
  var bundleMember: String? {
    switch self {
    case .iosApps: "bundleId"
    case .androidApps: "packageName"
    case .webApps: nil
    }
  }

  init?(_ platform: RegisteredApp.Platform) {
    guard let kind = Self.allCases.first(where: { $0.platform == platform }) else { return nil }
    self = kind
  }
}

extension ManagementCall {
  func scope() throws -> ProjectAccounts { environment.accounts.project(try project()) }

  /// The app that the path names; NOT_FOUND where it is none of that kind.
  func app(of kind: AppKind) throws -> RegisteredApp {
    let id = request.parameters["app"] ?? ""
    guard let app = try scope().apps().first(where: { $0.id == id }), app.platform == kind.platform
    else { throw AppRoutes.noApp(id) }
    return app
  }

  func json(_ app: RegisteredApp) throws -> JSONValue {
    let kind = AppKind(app.platform) ?? .webApps
    let project = try project().string
    var members: [JSONValue.Member] = [
      .init("name", .string("projects/\(project)/\(kind.rawValue)/\(app.id)")),
      .init("appId", .string(app.id)), .init("projectId", .string(project)),
      .init("state", .string("ACTIVE")),
    ]
    if let name = app.displayName { members.append(.init("displayName", .string(name))) }
    if let member = kind.bundleMember, let bundle = app.bundleID {
      members.append(.init(member, .string(bundle)))
    }
    return .object(members)
  }

  /// An app among those of all kinds.
  func found(_ app: RegisteredApp) throws -> JSONValue {
    let platform = app.platform.rawValue.uppercased()
    var members = try json(app).members ?? []
    members.append(.init("platform", .string(platform)))
    if let bundle = app.bundleID { members.append(.init("namespace", .string(bundle))) }
    return .object(members)
  }

  func certificate(_ fingerprint: String, of app: RegisteredApp) -> JSONValue {
    let digits = fingerprint.split(separator: ":").joined().lowercased()
    return .object([
      "name": .string("projects/\(app.senderID)/androidApps/\(app.id)/sha/\(digits)"),
      "shaHash": .string(digits), "certType": .string("SHA_256"),
    ])
  }

  func operation(done response: JSONValue, _ app: RegisteredApp? = nil) -> ServiceResponse {
    operation(done: response, named: app.map { "app.\($0.id)" } ?? "noop.DONE_OPERATION")
  }

  /// An operation of that name that has ended.
  func operation(done response: JSONValue, named name: String) -> ServiceResponse {
    .object([
      .init("name", .string("operations/\(name)")), .init("done", .boolean(true)),
      .init("response", response),
    ])
  }
}

extension ServiceRequest {
  /// The same request with other values of its path.
  fileprivate init(_ request: ServiceRequest, parameters: [String: String]) {
    self.init(
      head: request.head,
      parameters: parameters,
      rest: request.rest,
      context: request.context,
      address: request.address,
      isHTTP2: request.isHTTP2,
      logger: request.logger,
      body: request.body
    )
  }
}
