import Access
import BaseJSON
import BaseRuntime
import BaseStatus
import BaseText
import FirestoreModel
import FirestoreWire
import FunctionHost
import HTTPTypes
import ServiceModule

/// The services and settings that the administration of functions works with.
package struct FunctionsAdminEnvironment: Sendable {
  /// The host of the functions; nil where they are off, which every route says then.
  package let host: FunctionHost?
  /// Identifies callers.
  package let access: AccessControl
  /// Do what waits for the disk.
  package let threads: EngineThreads
  /// The numbers of projects.
  package let numbers: ProjectNumbers
  /// The server's address.
  package let origin: @Sendable () -> String

  /// An environment of those parts.
  package init(
    host: FunctionHost?,
    access: AccessControl,
    threads: EngineThreads,
    numbers: ProjectNumbers,
    origin: @escaping @Sendable () -> String
  ) {
    self.host = host
    self.access = access
    self.threads = threads
    self.numbers = numbers
    self.origin = origin
  }
}

extension ServiceModule {
  /// The administration of functions as Google's command lines ask for it: Cloud Functions v1 and v2 with their operations
  /// and uploads, and the little that a deployment needs of Cloud Run, Cloud Scheduler, Cloud Tasks, Eventarc, Secret Manager,
  /// Artifact Registry, Runtime Configurator and Cloud Logging.
  package static func functionsAdministration(
    _ environment: FunctionsAdminEnvironment
  ) -> ServiceModule {
    let operations = FunctionOperations()
    var module = ServiceModule("functions administration")
    module.hosts = [
      "cloudfunctions.googleapis.com", "run.googleapis.com", "cloudscheduler.googleapis.com",
      "eventarc.googleapis.com", "secretmanager.googleapis.com", "artifactregistry.googleapis.com",
      "runtimeconfig.googleapis.com", "logging.googleapis.com",
    ]
    module.routes =
      FunctionRoutes(environment: environment, operations: operations).routes
      + UploadRoutes(environment: environment).routes
      + InvokerRoutes(environment: environment).routes
      + TriggerRoutes(environment: environment).routes
      + SecretRoutes(environment: environment).routes
      + PreliminaryRoutes(environment: environment).routes
    module.tasks = [
      ServiceTask("deployments of functions") { await operations.run() }
    ]
    return module
  }
}

/// A request of the administration of functions, by a caller who administers its project.
struct FunctionsCall: Sendable {
  let environment: FunctionsAdminEnvironment
  let host: FunctionHost
  let request: ServiceRequest
  let bytes: [UInt8]
  /// The project's id.
  let project: String
  /// True for callers who may change the project.
  let isEditor: Bool

  /// A part of the path.
  func parameter(_ name: String) -> String { request.parameters[name] ?? "" }

  /// The body as an object; an empty one is an empty object.
  func body() throws(ServiceError) -> JSONValue {
    let value = bytes.isEmpty ? JSONValue.object([]) : try JSONParser.parse(bytes)
    guard value.members != nil else { throw .invalidArgument("The body must be a JSON object.") }
    return value
  }

  /// A parameter of the query; nil without one.
  func query(_ name: String) throws(ServiceError) -> String? {
    try QueryParameters(request.query).parameters.last { $0.name == name }?.value
  }

  /// The page of a list that the query asks for, under a name.
  func page(_ name: String, of all: [JSONValue]) throws(ServiceError) -> JSONValue {
    let size = Int(try query("pageSize") ?? "1000") ?? -1
    let token = try query("pageToken") ?? ""
    guard (0...10_000).contains(size), let start = token.isEmpty ? 0 : Int(token), start >= 0 else {
      throw .invalidArgument("The page size or the page token is invalid.")
    }
    let shown = all.dropFirst(start).prefix(size == 0 ? 1_000 : size)
    var members = shown.isEmpty ? [] : [JSONValue.Member(name, .array(Array(shown)))]
    if start + shown.count < all.count, !shown.isEmpty {
      members.append(.init("nextPageToken", .string("\(start + shown.count)")))
    }
    return .object(members)
  }

  /// The deployed function of a name in a region, or in any where the region is nil; NOT_FOUND where there is none.
  func function(_ name: String, in region: String?) async throws -> DeployedFunction {
    let found = try await host.deployed(project: project).first {
      $0.endpoint.name == name && (region == nil || $0.region == region)
    }
    guard let found else {
      throw ServiceError(.notFound, "There is no function \(name.prefix(100)).")
    }
    return found
  }
}

/// Routes below a project.
protocol FunctionsScoped: Sendable {
  var environment: FunctionsAdminEnvironment { get }
}

extension FunctionsScoped {
  /// The longest body: a function's resource with its environment.
  static var bodyLimit: Int { 1 << 20 }

  /// A route below `{project}`, for its administrators: GET for viewers, others for editors, unless it takes another role.
  func route(
    _ method: HTTPRequest.Method,
    _ pattern: String,
    takes role: AdministratorRole? = nil,
    _ answer: @escaping @Sendable (FunctionsCall) async throws -> JSONValue
  ) -> HTTPRoute {
    let route = HTTPRoute(method, RoutePattern(pattern), for: .administrators) {
      [environment] request in
      let bytes = try await request.collectText(upTo: Self.bodyLimit)
      let call = try await Self.admit(request, bytes, environment)
      return .json(try await answer(call).compactBytes)
    }
    return role.map { role in route.demanding { _, _ in role } } ?? route.openToViewers()
  }

  /// A call by an administrator of the project; fails with a remedy if functions are off.
  private static func admit(
    _ request: ServiceRequest,
    _ bytes: [UInt8],
    _ environment: FunctionsAdminEnvironment
  ) async throws -> FunctionsCall {
    let project = request.project ?? ""
    let isEditor = try await environment.threads.run(on: .maintenance) {
      let access = environment.access
      try access.requireAdministration(try access.identify(request.context), of: project)
      try DatabaseID(project: project).checkCreatable()
      let context = request.context.demanding(.editor, isRecent: false)
      let editor = try? access.identify(context)
      return editor.map { (try? access.requireAdministration($0, of: project)) != nil } ?? false
    }
    guard let host = environment.host else {
      throw ServiceError(
        .failedPrecondition,
        "Functions are off. Start the server with brasa serve --functions."
      )
    }
    return FunctionsCall(
      environment: environment,
      host: host,
      request: request,
      bytes: bytes,
      project: project.string,
      isEditor: isEditor
    )
  }
}
