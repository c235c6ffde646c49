import Access
import BaseJSON
import BaseRuntime
import BaseStatus
import BaseText
import FirestoreWire
import HTTPTypes
import SecurityRules
import ServiceModule

extension ServiceModule {
  /// The rules API that the Admin SDKs and the Firebase CLI call, for administrators only.
  ///
  /// It is `firebaserules.googleapis.com` v1; development mode adds the routes of Google's
  /// emulator. `threads` do what waits for the disk.
  package static func rules(
    _ rules: RulesetStore,
    access: AccessControl,
    threads: EngineThreads,
    isDevelopment: Bool
  ) -> ServiceModule {
    var module = ServiceModule("rules")
    let routes = RulesRoutes(rules: rules, access: access, threads: threads)
    module.routes = routes.production + (isDevelopment ? routes.development : [])
    return module
  }
}

/// The routes of the rules API.
///
/// Below `/v1/projects/{project}`:
///
///     POST   :test                    compiles a source, tries test cases on it
///     POST   /rulesets/{id}:test      the same with a kept ruleset
///     POST   /rulesets                keeps a ruleset
///     GET    /rulesets                lists them, the newest first, without their sources
///     GET    /rulesets/{id}           one with its source
///     DELETE /rulesets/{id}           forgets one that is not in force
///     POST   /releases                puts a ruleset in force under a new name
///     GET    /releases                lists what is in force
///     GET    /releases/{name}         one of them
///     PATCH  /releases/{name}         puts a ruleset in force, also under a new name
///     DELETE /releases/{name}         takes it out of force
///     GET    /releases/{name}:getExecutable   refused: rules run from their source
///
/// In development also, below `/emulator/v1/projects/{project}`:
///
///     PUT    :securityRules           deploys the rules of the project's Firestore
///     GET    :securityRules           their source
///     GET    :ruleCoverage            what the expressions of the rules in force gave so far
///     GET    :ruleCoverage.html       the same as a page
///
/// and for Storage, whose emulator knows one project,
///
///     PUT    /internal/setRules       deploys rules to a bucket, or to all that have none of their own
private struct RulesRoutes: Sendable {
  let rules: RulesetStore
  let access: AccessControl
  let threads: EngineThreads

  /// The largest body: a ruleset of 256 KiB, escaped, with test cases.
  private static let bodyLimit = 8 << 20

  /// Answers a call in JSON; blocks.
  private typealias Answer = @Sendable (RulesManagement, RulesCall) throws -> JSONValue

  var production: [HTTPRoute] {
    [
      json(.post, ":test") { try $0.test(try $1.body(), ruleset: nil) },
      json(.post, "/rulesets/{id}:test") { try $0.test(try $1.body(), ruleset: $1.id) },
      json(.post, "/rulesets") { try $0.createRuleset(try $1.body()) },
      json(.get, "/rulesets") { try $0.listRulesets(try $1.page()) },
      json(.get, "/rulesets/{id}") { try $0.getRuleset($1.id) },
      json(.delete, "/rulesets/{id}") { try $0.deleteRuleset($1.id) },
      json(.post, "/releases") { try $0.createRelease(try $1.body()) },
      json(.get, "/releases") { try $0.listReleases(try $1.page()) },
      json(.get, "/releases/{name=**}") { try $0.getRelease(try $1.releaseOfSource()) },
      json(.patch, "/releases/{name=**}") { try $0.updateRelease($1.release, try $1.body()) },
      json(.delete, "/releases/{name=**}") { try $0.deleteRelease($1.release) },
    ]
  }

  var development: [HTTPRoute] {
    let root = "/emulator/v1/projects/{project}"
    return [
      json(.put, ":securityRules", below: root) { try $0.putRules(try $1.body()) },
      json(.get, ":securityRules", below: root) { management, _ in try management.currentRules() },
      json(.get, ":ruleCoverage", below: root) { management, _ in try management.coverage() },
      route(.get, ":ruleCoverage.html", below: root) { management, _ in
        .page(try management.coveragePage())
      },
      json(.put, "/internal/setRules", below: "") { try $0.putStorageRules(try $1.body()) },
    ]
  }

  private func json(
    _ method: HTTPRequest.Method,
    _ path: String,
    below root: String = "/v1/projects/{project}",
    _ answer: @escaping Answer
  ) -> HTTPRoute {
    route(method, path, below: root) { .json(try answer($0, $1).compactBytes) }
  }

  private func route(
    _ method: HTTPRequest.Method,
    _ path: String,
    below root: String,
    _ answer: @escaping @Sendable (RulesManagement, RulesCall) throws -> ServiceResponse
  ) -> HTTPRoute {
    let route = HTTPRoute(method, RoutePattern(root + path), for: .administrators) { request in
      let context = request.context
      try await threads.run {
        try access.requireAdministration(try access.identify(context), of: request.project)
      }
      let call = RulesCall(
        request: request,
        bytes: try await request.collectText(upTo: Self.bodyLimit)
      )
      let project = Text(request.parameters["project"] ?? "")
      let management = RulesManagement(rules: rules, project: project)
      return try await threads.run(on: .maintenance) {
        do {
          return try answer(management, call)
        } catch let error as RulesCompileError {
          throw ServiceError.invalidArgument(error.message)
        }
      }
    }
    return path.hasSuffix(":test") ? route.onlyReading() : route.openToViewers()
  }
}

/// A request of the rules API with its body.
private struct RulesCall: Sendable {
  let request: ServiceRequest
  let bytes: [UInt8]

  var id: Text { Text(request.parameters["id"] ?? "") }
  /// Names of releases may have slashes.
  var release: Text { Text(request.rest.joined(separator: "/")) }

  /// The release whose source is asked for; what is asked for may also be a compiled form, which there
  /// is not.
  func releaseOfSource() throws(ServiceError) -> Text {
    guard request.rest.last?.hasSuffix(":getExecutable") != true else {
      throw ServiceError(
        .unimplemented,
        "Rules have no executable form here. GET the release's ruleset for their source."
      )
    }
    return release
  }

  func page() throws(ServiceError) -> RulesManagement.Page {
    try RulesManagement.Page(try QueryParameters(request.query))
  }

  /// The body as JSON; an empty one is an empty object.
  func body() throws(ServiceError) -> JSONValue {
    bytes.isEmpty ? .object([:]) : try JSONParser.parse(bytes)
  }
}

extension ServiceResponse {
  /// A page that runs nothing and loads nothing.
  fileprivate static func page(_ text: String) -> ServiceResponse {
    var headers: HTTPFields = [
      .contentType: "text/html; charset=UTF-8", .xContentTypeOptions: "nosniff",
    ]
    headers[.contentSecurityPolicy] = "default-src 'none'; style-src 'unsafe-inline'"
    return ServiceResponse(headers: headers, body: .bytes(Array(text.utf8)))
  }
}
