import Access
import BaseJSON
import BaseRuntime
import BaseStatus
import BaseText
import ConfigTemplates
import FirestoreWire
import HTTPTypes
import ServiceModule

/// The routes that administrators, the Admin SDKs and the Firebase CLI call.
///
/// Below `/v1/projects/{project}` for the template of apps, and below
/// `/v1/projects/{project}/namespaces/{firebase | firebase-server}` for either:
///
///     GET  /remoteConfig                     the newest version, or ?versionNumber=
///     PUT  /remoteConfig                     publishes, if If-Match names the newest; ?validateOnly=true
///     POST /remoteConfig:rollback            publishes the template of {versionNumber} again
///     GET  /remoteConfig:listVersions        the newest first
///     GET  /remoteConfig:downloadDefaults    default values as a file: ?format=JSON, XML or PLIST
///     POST /remoteConfig:evaluate            Brasa's own: the values of a client and where they come from
///     GET  /remoteConfig/experiments         Brasa's own: how many installations each variant has
///     GET  /remoteConfig/experiments/{name}  Brasa's own: what its goal, or ?event= and ?measure=, came to by variant
///     GET  /remoteConfig/drafts              Brasa's own: templates that are not published yet, by name
///     GET  /remoteConfig/drafts/{name}
///     PUT  /remoteConfig/drafts/{name}
///     DELETE /remoteConfig/drafts/{name}
///     GET  /serverRemoteConfig               the template of back ends with conditions as trees
struct TemplateRoutes: Sendable {
  let templates: ConfigTemplates
  let access: AccessControl
  let threads: EngineThreads
  let eventsElsewhere: HTTPRoute.Passing?

  /// The largest body: all values, escaped, with descriptions and conditions.
  private static let bodyLimit = 16 << 20

  private typealias Answer = @Sendable (TemplateManagement, TemplateCall) throws -> ServiceResponse

  var routes: [HTTPRoute] {
    let root = "/v1/projects/{project}"
    let namespaced = root + "/namespaces/{namespace}"
    return routes(below: root) + routes(below: namespaced) + [
      route(.get, namespaced + "/serverRemoteConfig") { try $0.serverTemplate($1) },
      // The lists of the Firebase CLI.
      route(.get, namespaced + "/experiments") { try $0.splits($1, "experiments") },
      route(.get, namespaced + "/experiments/{id}") { try $0.split($1, "experiments") },
      route(.get, namespaced + "/rollouts") { try $0.splits($1, "rollouts") },
      route(.get, namespaced + "/rollouts/{id}") { try $0.split($1, "rollouts") },
    ]
  }

  private func routes(below root: String) -> [HTTPRoute] {
    let template = root + "/remoteConfig"
    return [
      route(.get, template) { try $0.get($1) },
      route(.put, template) { try $0.put($1) },
      route(.post, template + ":rollback") { try $0.rollBack($1) },
      route(.get, template + ":listVersions") { try $0.listVersions($1) },
      route(.get, template + ":downloadDefaults") { try $0.downloadDefaults($1) },
      route(.post, template + ":evaluate", takesEvents: true) { try $0.evaluate($1) },
      route(.get, template + "/experiments") { try $0.experiments($1) },
      route(.get, template + "/experiments/{name}", on: .scans, takesEvents: true) {
        try $0.experimentResult($1)
      },
      route(.get, template + "/drafts") { try $0.listDrafts($1) },
      route(.get, template + "/drafts/{name}") { try $0.getDraft($1) },
      route(.put, template + "/drafts/{name}") { try $0.putDraft($1) },
      route(.delete, template + "/drafts/{name}") { try $0.deleteDraft($1) },
    ]
  }

  private func route(
    _ method: HTTPRequest.Method,
    _ path: String,
    on lane: EngineThreads.Lane = .maintenance,
    takesEvents: Bool = false,
    _ answer: @escaping Answer
  ) -> HTTPRoute {
    let route = HTTPRoute(method, RoutePattern(path), for: .administrators) { request in
      let context = request.context
      try await threads.run {
        try access.requireAdministration(try access.identify(context), of: request.project)
      }
      if takesEvents, let answer = try await eventsElsewhere?(request) { return answer }
      let call = TemplateCall(
        request: request,
        id: try Self.template(request.parameters),
        query: try QueryParameters(request.query),
        bytes: try await request.collectText(upTo: Self.bodyLimit)
      )
      let management = TemplateManagement(templates: templates)
      return try await threads.run(on: lane) { try answer(management, call) }
    }
    return path.hasSuffix(":evaluate") ? route.onlyReading() : route.openToViewers()
  }

  private static func template(_ parameters: [String: String]) throws -> TemplateID {
    let project = Text(parameters["project"] ?? "")
    guard let name = parameters["namespace"] else { return TemplateID(project: project) }
    guard let namespace = ConfigNamespace(rawValue: name) else {
      throw ServiceError(.notFound, "There is no namespace \"\(name.prefix(100))\".")
    }
    return TemplateID(project: project, namespace: namespace)
  }
}

/// A request about a template with its body.
struct TemplateCall: Sendable {
  let request: ServiceRequest
  let id: TemplateID
  let query: QueryParameters
  let bytes: [UInt8]

  /// A parameter of the URL in either of the API's spellings.
  func parameter(_ name: String, _ snake: String) -> String? {
    query.parameters.first { $0.name == name || $0.name == snake }?.value
  }

  /// A whole number in the URL; nil where there is none.
  func number(_ name: String, _ snake: String) throws(ServiceError) -> Int64? {
    guard let text = parameter(name, snake), !text.isEmpty else { return nil }
    guard let number = Int64(text), number >= 0 else {
      throw .invalidArgument("Invalid value at '\(name)': \"\(text.prefix(40))\" is not a number.")
    }
    return number
  }

  /// A flag in the URL; false where there is none, and a refusal of other words than `true` and `false`.
  func flag(_ name: String, _ snake: String) throws(ServiceError) -> Bool {
    switch parameter(name, snake) {
    case nil, "false": return false
    case "true": return true
    case let text?:
      throw .invalidArgument("Invalid value at '\(name)': \"\(text.prefix(40))\" is not a boolean.")
    }
  }

  /// The body as JSON; an empty one is an empty object.
  func body() throws(ServiceError) -> JSONValue {
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw .invalidArgument("Invalid JSON payload received. The text is not valid UTF-8.")
    }
    do throws(ServiceError) {
      return text.isEmpty ? .object([]) : try JSONValue(parsing: text)
    } catch {
      throw .invalidArgument("Invalid JSON payload received. \(error.message)")
    }
  }

  /// The publisher: the administrator signed in to the console, or the program named by the
  /// request.
  var publisher: Publisher {
    if let administrator = request.context.actor?.administrator {
      return Publisher(.init(email: administrator.email), origin: "CONSOLE")
    }
    let agent = request.headers[.firebaseClient] ?? ""
    let admin = agent.split(separator: " ").first { $0.hasPrefix("fire-admin-") }
    let language = admin?.dropFirst("fire-admin-".count).prefix { $0 != "/" }
    var publisher = Publisher(
      origin: language.map { "ADMIN_SDK_\($0.uppercased())" } ?? "REST_API"
    )
    publisher.eventDepth = request.context.eventDepth
    return publisher
  }
}
