import BaseJSON
import BaseStatus
import FunctionHost
import HTTPTypes
import ServiceModule

/// Cloud Functions v1 and v2, below `/v1` and `/v2/projects/{project}/locations/{location}`, where the location may be `-`
/// in lists.
///
///     GET, POST            /functions             lists; deploys one: v2 names it by functionId
///     GET, PATCH, DELETE   /functions/{function}
///     GET                  /operations/{operation}
///
/// A function is deployed from an upload, in an operation. Its source defines it; a resource that
/// clients send is stored for them to read, and its environment and the versions of its secrets
/// count.
struct FunctionRoutes: FunctionsScoped {
  let environment: FunctionsAdminEnvironment
  let operations: FunctionOperations

  var routes: [HTTPRoute] { FunctionForm.allCases.flatMap(routes) }

  private func routes(_ form: FunctionForm) -> [HTTPRoute] {
    let root = "/\(form.rawValue)/projects/{project}/locations/{location}"
    return [
      route(.get, root + "/functions") { call in
        let location = call.parameter("location")
        let all = try await call.host.deployed(project: call.project).filter {
          form.shows($0) && (location == "-" || $0.region == location)
        }
        return try call.page("functions", of: try all.map { try call.json($0, form) })
      },
      route(.post, root + "/functions") { try await create($0, form) },
      route(.get, root + "/functions/{function}") { call in
        try call.json(try await call.named(), form)
      },
      route(.patch, root + "/functions/{function}") { try await update($0, form) },
      route(.delete, root + "/functions/{function}") { try await delete($0, form) },
      route(.get, root + "/operations/{operation}") { call in
        try operations.json(
          call.parameter("operation"),
          of: call.project,
          as: call.operationName(call.parameter("operation"))
        )
      },
    ]
  }

  private func create(_ call: FunctionsCall, _ form: FunctionForm) async throws -> JSONValue {
    let resource = try call.body()
    let region = call.parameter("location")
    let last = resource["name"]?.string?.split(separator: "/").last.map(String.init)
    guard let name = try call.query("functionId") ?? last, !name.isEmpty else {
      throw ServiceError.invalidArgument("The function has no name.")
    }
    let known = try await call.host.deployed(project: call.project)
    guard !known.contains(where: { $0.endpoint.name == name && $0.region == region }) else {
      throw ServiceError(.alreadyExists, "The function \(name.prefix(100)) already exists.")
    }
    guard let upload = form.upload(in: resource) else { throw Self.noSource }
    let release = try form.release(resource, name, region, call.project, codebase: nil)
    return try deploy(release, from: upload, call, form, verb: "create")
  }

  private func update(_ call: FunctionsCall, _ form: FunctionForm) async throws -> JSONValue {
    let function = try await call.named()
    let change = try call.body()
    let before = try form.json(
      function,
      project: call.project,
      origin: environment.origin(),
      showsValues: true
    )
    let merged = try FunctionForm.merged(before, with: change, mask: try call.query("updateMask"))
    let release = try form.release(
      merged,
      function.endpoint.name,
      function.region,
      call.project,
      codebase: function.codebase
    )
    // The source is the one named by this request; a stored one belongs to an upload that has
    // ended.
    return try deploy(release, from: form.upload(in: change), call, form, verb: "update")
  }

  private func delete(_ call: FunctionsCall, _ form: FunctionForm) async throws -> JSONValue {
    let (name, region) = (call.parameter("function"), call.parameter("location"))
    let (host, project) = (call.host, call.project)
    return try begin(call, form, name, verb: "delete") {
      try await host.delete(function: name, region: region, project: project)
      return .object(["@type": .string("type.googleapis.com/google.protobuf.Empty")])
    }
  }

  private static let noSource = ServiceError.invalidArgument(
    "The function has no source. Request an upload URL, upload the source and pass its name."
  )

  private func deploy(
    _ release: FunctionRelease,
    from upload: String?,
    _ call: FunctionsCall,
    _ form: FunctionForm,
    verb: String
  ) throws -> JSONValue {
    let host = call.host
    return try begin(call, form, release.name, verb: verb) {
      if let upload {
        try await host.deploy(release, from: upload)
      } else {
        try await host.update(release)
      }
      let deployed = try await call.function(release.name, in: release.region)
      let type = "google.cloud.functions.\(form == .v1 ? "v1.CloudFunction" : "v2.Function")"
      let members = try call.json(deployed, form).members ?? []
      return .object([.init("@type", .string("type.googleapis.com/\(type)"))] + members)
    }
  }

  private func begin(
    _ call: FunctionsCall,
    _ form: FunctionForm,
    _ name: String,
    verb: String,
    _ work: @escaping @Sendable () async throws -> JSONValue
  ) throws -> JSONValue {
    let root = "projects/\(call.project)/locations/\(call.parameter("location"))"
    let metadata = JSONValue.object([
      "target": .string("\(root)/functions/\(name)"), "verb": .string(verb),
      "apiVersion": .string(form.rawValue), "cancelRequested": .boolean(false),
    ])
    call.request.context.actor?.note(subject: "\(verb) function \(name)")
    let id = try operations.begin(of: call.project, metadata, bytes: call.bytes.count, work)
    return try operations.json(id, of: call.project, as: call.operationName(id))
  }
}

extension FunctionsCall {
  /// The function that the path names.
  func named() async throws -> DeployedFunction {
    try await function(parameter("function"), in: parameter("location"))
  }

  func json(_ function: DeployedFunction, _ form: FunctionForm) throws -> JSONValue {
    try form.json(
      function,
      project: project,
      origin: environment.origin(),
      showsValues: isEditor
    )
  }

  func operationName(_ id: String) -> String {
    "projects/\(project)/locations/\(parameter("location"))/operations/\(id)"
  }
}
