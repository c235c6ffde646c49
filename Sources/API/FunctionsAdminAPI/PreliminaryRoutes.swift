import BaseJSON
import BaseStatus
import BaseText
import Foundation
import FunctionHost
import HTTPTypes
import ServiceModule

/// The questions that command lines ask around a deployment of functions.
///
///     GET     /v1beta1/projects/{project}/configs                            the old configuration, of which there is none
///     GET     /v1/projects/{project}/locations/{location}/repositories/{repository}
///     DELETE  /v1/projects/{project}/locations/{location}/repositories/{repository}/packages/{package}
///     POST    /v2/entries:list                                               lines that functions wrote
struct PreliminaryRoutes: FunctionsScoped {
  let environment: FunctionsAdminEnvironment

  var routes: [HTTPRoute] {
    let repository = "/v1/projects/{project}/locations/{location}/repositories/{repository}"
    return [
      route(.get, "/v1beta1/projects/{project}/configs") { _ in .object([]) },
      route(.get, repository) { call in
        // Nothing is built into images, so nothing has to be cleaned up.
        let name = "\(Self.root(call))/\(call.parameter("repository"))"
        return .object([
          "name": .string(name), "format": .string("DOCKER"),
          "labels": .object(["firebase-functions-cleanup-opted-out": .string("true")]),
        ])
      },
      route(.delete, repository + "/packages/{package}") { call in
        .object([
          "name": .string("\(Self.root(call))/operations/noop.DONE_OPERATION"),
          "done": .boolean(true), "response": .object([]),
        ])
      },
      entries,
    ]
  }

  private static func root(_ call: FunctionsCall) -> String {
    "projects/\(call.project)/locations/\(call.parameter("location"))/repositories"
  }

  // MARK: Logs

  /// The body names the project.
  private var entries: HTTPRoute {
    HTTPRoute(.post, "/v2/entries:list", for: .administrators) { [environment] request in
      let bytes = try await request.collectText(upTo: Self.bodyLimit)
      let body = bytes.isEmpty ? JSONValue.object([]) : try JSONParser.parse(bytes)
      let names = body["resourceNames"]?.elements?.compactMap(\.string) ?? []
      guard names.count == 1, names[0].hasPrefix("projects/") else {
        try await Self.requireAdministration(request, of: nil, environment)
        throw ServiceError.invalidArgument("resourceNames must name one project.")
      }
      let named = String(names[0].dropFirst("projects/".count))
      let project = try await Self.requireAdministration(request, of: named, environment)
      guard let host = environment.host else {
        throw ServiceError(
          .failedPrecondition,
          "Functions are off. Start the server with brasa serve --functions."
        )
      }
      let functions = try await host.deployed(project: project)
      return .json(Self.list(body, functions, host.logs, project).compactBytes)
    }.onlyReading()
  }

  /// Throws to those who don't administer a project, which its number may name; returns its id.
  @discardableResult
  private static func requireAdministration(
    _ request: ServiceRequest,
    of named: String?,
    _ environment: FunctionsAdminEnvironment
  ) async throws -> String {
    try await environment.threads.run(on: .maintenance) {
      let access = environment.access
      let caller = try access.identify(request.context)
      guard let named else {
        try access.requireAdministration(caller)
        return ""
      }
      let project = try environment.numbers.project(named)?.string ?? named
      try access.requireAdministration(caller, of: Text(project))
      return project
    }
  }

  /// The lines of the functions that a filter names, or of all; the newest first where that is asked.
  private static func list(
    _ body: JSONValue,
    _ functions: [DeployedFunction],
    _ logs: FunctionLogs,
    _ project: String
  ) -> JSONValue {
    let filter = body["filter"]?.string ?? ""
    let known = functions.map(\.endpoint.name)
    let wanted = Set(known.filter { filter.contains("\"\($0)\"") })
    let size = min(max(Int(body["pageSize"]?.integer ?? 100), 1), 1_000)
    var all = logs.entries(of: project, function: nil, after: 0, containing: nil)
    // A filter by names matches none of the functions that it does not name.
    let names = filter.contains("function_name") || filter.contains("service_name")
    if names { all = all.filter { wanted.contains($0.function) } }
    let isNewestFirst = body["orderBy"]?.string?.hasSuffix("desc") ?? false
    let shown = isNewestFirst ? Array(all.reversed().prefix(size)) : Array(all.prefix(size))
    let regions = Dictionary(functions.map { ($0.endpoint.name, $0.region) }) { first, _ in first }
    return .object([
      "entries": .array(shown.map { json($0, project, regions[$0.function] ?? "us-central1") })
    ])
  }

  private static func json(
    _ entry: FunctionLogEntry,
    _ project: String,
    _ region: String
  ) -> JSONValue {
    let time = JSONValue.string(FunctionForm.time(entry.time))
    return .object([
      "logName": .string("projects/\(project)/logs/run.googleapis.com%2Fstdout"),
      "resource": .object([
        "type": .string("cloud_run_revision"),
        "labels": .object([
          "project_id": .string(project), "service_name": .string(entry.function),
          "location": .string(region),
        ]),
      ]),
      "timestamp": time, "receiveTimestamp": time, "severity": .string(entry.severity),
      "insertId": .string("\(entry.sequence)"), "textPayload": .string(entry.message),
    ])
  }
}
