import Access
import BaseJSON
import BaseRuntime
import BaseStatus
import BaseText
import FirestoreWire
import FunctionHost
import HTTPTypes
import ServiceModule

/// Functions for administrators, Brasa's own, below `/v1/projects/{project}`.
///
///     GET /functions      functions with the calls of the last hour, and the sources in force
///     GET /functionLogs   the newest lines; ?after=, ?function=, ?text=
struct FunctionRoutes: Sendable {
  let host: FunctionHost
  let access: AccessControl
  let threads: EngineThreads

  /// The most lines of one response.
  private static let mostLines = 1_000

  var routes: [HTTPRoute] {
    [route("/functions", list), route("/functionLogs", log)]
  }

  private func route(
    _ path: String,
    _ answer: @escaping @Sendable (ServiceRequest, String) async throws -> JSONValue
  ) -> HTTPRoute {
    let pattern = RoutePattern("/v1/projects/{project}\(path)")
    return HTTPRoute(.get, pattern, for: .administrators) { [access, threads] request in
      let (context, project) = (request.context, request.project ?? "")
      try await threads.run(caller: context.network) {
        try access.requireAdministration(try access.identify(context), of: project)
      }
      return .json(try await answer(request, project.string).compactBytes)
    }
    .openToViewers()
  }

  // MARK: Functions

  private func list(_ request: ServiceRequest, _ project: String) async throws -> JSONValue {
    let listings = await host.list(project: project)
    let releases = await host.served(project: project)
    return .object([
      "functions": .array(listings.map(\.json)), "releases": .array(releases.map(\.json)),
    ])
  }

  // MARK: Lines

  private func log(_ request: ServiceRequest, _ project: String) async throws -> JSONValue {
    let parameters = try QueryParameters(request.query).parameters
    func value(_ name: String) -> String? {
      parameters.last { $0.name == name }.flatMap { $0.value.isEmpty ? nil : $0.value }
    }
    let text = value("text")?.lowercased()
    let found = host.logs.entries(
      of: project,
      function: value("function"),
      after: value("after").flatMap { Int($0) } ?? 0
    )
    .filter { entry in text.map { entry.message.lowercased().contains($0) } ?? true }
    return .object([
      "lines": .array(found.suffix(Self.mostLines).map(\.json)),
      "isCut": .boolean(found.count > Self.mostLines),
      // A restarted server counts from the beginning, which tells clients about the restart.
      "last": .integer(host.logs.last),
    ])
  }
}

extension FunctionHost.Listing {
  fileprivate var json: JSONValue {
    .object([
      "codebase": .string(codebase), "name": .string(endpoint.name),
      "regions": .array(endpoint.regions.map(JSONValue.string)),
      "trigger": endpoint.trigger.json,
      "memoryMegabytes": .integer(endpoint.memoryMegabytes),
      "timeoutSeconds": .integer(endpoint.timeoutSeconds),
      "minInstances": .integer(endpoint.minInstances),
      "maxInstances": .integer(endpoint.maxInstances),
      "concurrency": .integer(endpoint.concurrency),
      "secrets": .array(endpoint.secrets.keys.sorted().map(JSONValue.string)),
      "instances": .integer(instances), "calls": .integer(calls), "waiting": .integer(waiting),
      "hour": hour.json,
    ])
  }
}

extension FunctionEndpoint.Trigger {
  /// `{kind, detail, filters, retry, timeZone}`; members that a kind lacks are absent.
  fileprivate var json: JSONValue {
    switch self {
    case .http: .object(["kind": .string("http")])
    case .callable: .object(["kind": .string("callable")])
    case .taskQueue: .object(["kind": .string("queue")])
    case .blocking(let type, _):
      .object(["kind": .string("blocking"), "detail": .string(type)])
    case .schedule(let schedule):
      .object(["kind": .string("schedule"), "detail": .string(schedule.schedule)])
    case .event(let event):
      .object([
        "kind": .string("event"), "detail": .string(event.eventType),
        "filters": .object(
          event.filters.merging(event.pathPatterns) { first, _ in first }
            .sorted { $0.key < $1.key }.map { .init($0.key, .string($0.value)) }
        ),
        "retry": .boolean(event.retries),
      ])
    }
  }
}

extension InvocationFigures.Hour {
  /// Calls and errors by minute; durations in milliseconds, null without calls.
  fileprivate var json: JSONValue {
    func milliseconds(_ seconds: Double?) -> JSONValue {
      seconds.map { .number("\(($0 * 10_000).rounded() / 10)") } ?? .null
    }
    return .object([
      "calls": .array(calls.map { .integer($0) }), "errors": .array(errors.map { .integer($0) }),
      "p50": milliseconds(p50), "p99": milliseconds(p99),
    ])
  }
}

extension FunctionHost.Served {
  fileprivate var json: JSONValue {
    .object([
      "codebase": .string(codebase), "digest": .string(digest),
      "time": .number("\(Int64(deployed * 1_000))"), "isCurrent": .boolean(true),
      "functions": .array(functions.map(JSONValue.string)),
    ])
  }
}

extension FunctionLogEntry {
  fileprivate var json: JSONValue {
    .object([
      "number": .integer(sequence), "time": .number("\(Int64(time * 1_000))"),
      "function": .string(function), "severity": .string(severity),
      "execution": execution.map(JSONValue.string) ?? .null, "message": .string(message),
    ])
  }
}
