import Access
import EventAnalytics
import FirestoreModel
import FirestoreWire
import HTTPTypes
import KeyValueStore
import ServiceModule

/// What administrators and the console ask about a project's events.
///
/// Below `/v1/projects/{project}/analytics`:
///
///     GET   /live         the last thirty minutes
///     GET   /debug        the devices in debug mode and what they sent; ?device= one of them
struct ReportRoutes: Sendable {
  let analytics: EventAnalytics
  let access: AccessControl
  let threads: EngineThreads

  private static let bodyLimit = 64 << 10

  private typealias Answer = @Sendable (Reports, ReportCall) throws -> JSONText

  var routes: [HTTPRoute] {
    [
      route(.get, "/live") { try $0.live($1) },
      route(.get, "/debug") { try $0.debug($1) },
    ]
  }

  private func route(
    _ method: HTTPRequest.Method,
    _ path: String,
    _ answer: @escaping Answer
  ) -> HTTPRoute {
    let pattern = RoutePattern("/v1/projects/{project}/analytics" + path)
    return HTTPRoute(method, pattern, for: .administrators) { request in
      let context = request.context
      try await threads.run { try access.requireAdministration(try access.identify(context)) }
      let call = ReportCall(
        project: Text(request.parameters["project"] ?? ""),
        name: request.parameters["name"],
        query: try QueryParameters(request.query),
        bytes: try await request.collectText(upTo: Self.bodyLimit)
      )
      let reports = Reports(analytics: analytics)
      return .json(try await threads.run(on: .scans) { try answer(reports, call) })
    }
  }
}

/// A request for a report.
struct ReportCall: Sendable {
  let project: Text
  /// What the path names, such as an audience.
  let name: String?
  let query: QueryParameters
  let bytes: [UInt8]

  /// A parameter of the URL; nil where there is none or it is empty.
  func parameter(_ name: String) -> String? {
    query.parameters.first { $0.name == name && !$0.value.isEmpty }?.value
  }
}
