import Access
import BaseJSON
import BaseStatus
import BaseText
import FirestoreModel
import HTTPTypes
import ServiceModule

/// Projects as Firebase's Management API and Resource Manager have them.
///
///     GET  /v1/projects/{project}                 Resource Manager's view
///     POST /v1/projects                           makes a project, with its default database
///     GET  /v1/operations/{operation}             the operation of that, which is done
///     POST /v1beta1/projects/{project}:addFirebase
///     GET  /v1beta1/projects, /v1beta1/availableProjects
///     GET  /v1beta1/projects/{project}, …/adminSdkConfig
///     GET  /v1/projects/{project}/locations
///     *    /v1alpha/projects/{project}/defaultBucket
struct ProjectRoutes: ProjectScoped {
  let environment: ManagementEnvironment

  var routes: [HTTPRoute] {
    [
      route(.get, "/v1/projects/{project}") { call in
        let project = try call.project()
        try call.requireKnown(project)
        return .value(call.resource(project))
      },
      route(.get, "/v1beta1/projects/{project}") { call in
        let project = try call.project()
        try call.requireKnown(project)
        return .value(try call.firebaseProject(project))
      },
      route(.get, "/v1beta1/projects/{project}/adminSdkConfig") { call in
        let project = try call.project()
        return .object([
          .init("projectId", .string(project.string)),
          .init("storageBucket", .string(Self.bucket(of: project))),
        ])
      },
      route(.get, "/v1/projects/{project}/locations") { call in
        let location = JSONValue.object([
          "name": .string("projects/\(try call.project().string)/locations/\(Self.location)"),
          "locationId": .string(Self.location), "displayName": .string("This server"),
        ])
        return try call.page("locations", of: [location])
      },
      route(.get, "/v1alpha/projects/{project}/defaultBucket") { try Self.defaultBucket($0) },
      route(.post, "/v1alpha/projects/{project}/defaultBucket") { try Self.defaultBucket($0) },
      route(.post, "/v1beta1/projects/{project}:addFirebase") { call in
        // A project has everything from its beginning.
        let project = try call.project()
        try call.requireKnown(project)
        return call.operation(done: try call.firebaseProject(project), named: "project.\(project)")
      },
      list, available, creation, creationOperation,
    ]
  }

  /// The one location there is.
  static let location = "local"

  static func bucket(of project: Text) -> String { "\(project.string).appspot.com" }

  private static func defaultBucket(_ call: ManagementCall) throws -> ServiceResponse {
    let project = try call.project()
    return .object([
      .init("name", .string("projects/\(project.string)/defaultBucket")),
      .init("location", .string(location)),
      .init(
        "bucket",
        .object([
          .init("name", .string("projects/\(project.string)/buckets/\(bucket(of: project))"))
        ])
      ),
      .init("storageClass", .string("STANDARD")),
    ])
  }

  /// The projects that the caller administers.
  private var list: HTTPRoute {
    HTTPRoute(.get, "/v1beta1/projects", for: .administrators) { [environment] request in
      let call = ManagementCall(environment: environment, request: request, bytes: [])
      return try await environment.threads.run(on: .maintenance) {
        let shown = try call.administered()
        return try call.page("results", of: try shown.map { try call.firebaseProject($0) })
      }
    }.openToViewers()
  }

  /// Projects at Google Cloud that have no Firebase yet, of which there are none here.
  private var available: HTTPRoute {
    HTTPRoute(.get, "/v1beta1/availableProjects", for: .administrators) { [environment] request in
      let call = ManagementCall(environment: environment, request: request, bytes: [])
      return try await environment.threads.run(on: .maintenance) {
        _ = try call.administered()
        return .object([.init("projectInfo", .array([]))])
      }
    }.openToViewers()
  }

  /// Makes a project for administrators of the whole server.
  private var creation: HTTPRoute {
    HTTPRoute(.post, "/v1/projects", for: .administrators) { [environment] request in
      let bytes = try await request.collectText(upTo: 1 << 16)
      let call = ManagementCall(environment: environment, request: request, bytes: bytes)
      return try await environment.threads.run(on: .maintenance) {
        let access = environment.access
        try access.requireAdministration(try access.identify(request.context))
        guard let id = try call.body()["projectId"]?.string else {
          throw ServiceError.invalidArgument("The project has no projectId.")
        }
        let project = Text(id)
        try DatabaseID(project: project).checkCreatable()
        request.context.actor?.note(subject: "create project \(id)")
        guard try !environment.numbers.projects().contains(project) else {
          throw ServiceError(.alreadyExists, "The project \(id) already exists.")
        }
        try environment.make(project)
        return call.operation(done: call.resource(project), named: "project.\(id)")
      }
    }
  }

  private var creationOperation: HTTPRoute {
    HTTPRoute(.get, "/v1/operations/{operation}", for: .administrators) { [environment] request in
      let call = ManagementCall(environment: environment, request: request, bytes: [])
      let name = request.parameters["operation"] ?? ""
      return try await environment.threads.run(on: .maintenance) {
        let access = environment.access
        let named = name.hasPrefix("project.") ? Text(String(name.dropFirst(8))) : nil
        try access.requireAdministration(try access.identify(request.context), of: named)
        guard let named, try environment.numbers.projects().contains(named) else {
          throw ServiceError(.notFound, "There is no operation \(name.prefix(100)).")
        }
        return call.operation(done: call.resource(named), named: name)
      }
    }.openToViewers()
  }
}

extension ManagementCall {
  /// The known projects that the caller administers, by name; PERMISSION_DENIED for callers that
  /// administer none.
  fileprivate func administered() throws -> [Text] {
    let caller = try environment.access.identify(request.context)
    var found: Set<Text>
    switch caller {
    case .projectAdministrator(let projects): found = projects
    case .administrator, .nobody, .user:
      try environment.access.requireAdministration(caller)
      found = try environment.numbers.projects()
    }
    return found.sorted { $0.string < $1.string }
  }

  func resource(_ project: Text) -> JSONValue {
    .object([
      "projectNumber": .string("\(environment.numbers.number(project))"),
      "projectId": .string(project.string), "lifecycleState": .string("ACTIVE"),
      "name": .string(project.string),
    ])
  }

  func firebaseProject(_ project: Text) throws -> JSONValue {
    let name = try environment.accounts.project(project).configuration().displayName
    return .object([
      "projectId": .string(project.string),
      "projectNumber": .string("\(environment.numbers.number(project))"),
      "displayName": .string(name ?? project.string), "name": .string("projects/\(project.string)"),
      "resources": .object([
        "hostingSite": .string(try environment.site(project)),
        "storageBucket": .string(ProjectRoutes.bucket(of: project)),
      ]),
      "state": .string("ACTIVE"),
    ])
  }
}
