import Access
import BaseJSON
import BaseRuntime
import BaseStatus
import BaseText
import EventAnalytics
import FirestoreWire
import HTTPTypes
import ServiceModule

/// The routes by which administrators and the console query a project's events.
///
/// Below `/v1/projects/{project}/analytics`; days are ?from= and ?to=, as `2026-11-23`, the last 28 where they are left out.
/// Reports are CSV for ?format=csv or `Accept: text/csv`:
///
///     GET   /live             the last thirty minutes
///     GET   /debug            the devices in debug mode and what they sent; ?device= one of them
///     GET   /events           events by name, with as many days before
///     GET   /events/{name}    an event's parameters with their values
///     GET   /breakdown        by ?by=country and others, or ?property=; of all events or ?event=
///     GET   /users            users by day: all, active in 1, 7 and 28 days, new
///     GET   /retention        new users who came back; ?days= later at most
///     POST  /funnel           {"steps": [names], "windowSeconds": n}
///     GET   /audiences        saved sets of users and how many they are now
///     GET   /audiences/{name} one of them; ?limit= ids of its installations
///     PUT   /audiences/{name} {"days": n, "rule": {…}}, see AudienceRule
///     DELETE /audiences/{name}
///     GET   /timeline         the events of ?instance= or ?user=, the newest first; ?limit=
///     GET   /dropped          what was dropped, by code
///     GET   /settings         zone and days of retention
///     PATCH /settings
///     POST  /erase            {"appInstanceId": id} or {"userId": id}: as if it had never been
///     GET   /days             the days of which there are events
///     GET   /export/{day}     a day's events as JSON lines in the shape of BigQuery's export, packed with gzip
struct ReportRoutes: Sendable {
  let analytics: EventAnalytics
  let access: AccessControl
  let threads: EngineThreads

  private static let bodyLimit = 64 << 10

  private typealias Answer = @Sendable (Reports, ReportCall) throws -> JSONValue

  var routes: [HTTPRoute] {
    ReportKind.all.map { route($0) } + otherRoutes
  }

  private var otherRoutes: [HTTPRoute] {
    [
      route(.get, "/audiences/{name}") { try $0.audience($1) },
      route(.put, "/audiences/{name}") { try $0.putAudience($1) },
      route(.delete, "/audiences/{name}") { try $0.deleteAudience($1) },
      route(.get, "/settings") { try $0.settings($1) },
      route(.patch, "/settings") { try $0.change($1) },
      route(.post, "/erase") { try $0.erase($1) }.performing(.eraseUsers),
      HTTPRoute(
        .get,
        RoutePattern("/v1/projects/{project}/analytics/export/{name}"),
        for: .administrators,
        handler: export
      ).openToViewers(),
    ]
  }

  private func export(_ request: ServiceRequest) async throws -> ServiceResponse {
    let context = request.context
    try await threads.run {
      try access.requireAdministration(try access.identify(context), of: request.project)
    }
    guard let day = EventDay(request.parameters["name"] ?? "") else {
      throw ServiceError.invalidArgument("A day must have the form 2026-11-23.")
    }
    let project = Text(request.parameters["project"] ?? "")
    let export = DayExport(analytics: analytics, threads: threads, project: project, day: day)
    return ServiceResponse(
      headers: [.contentType: "application/gzip", .cacheControl: "no-store"],
      body: .stream { writer in try await export.write(to: &writer) }
    )
  }

  private func route(_ kind: ReportKind) -> HTTPRoute {
    let path = kind.path + (kind.isNamed ? "/{name}" : "")
    let isRead = kind.takesBody
    let made = route(isRead ? .post : .get, "/" + path, kind.table, kind.answer)
    return isRead ? made.onlyReading() : made
  }

  private func route(
    _ method: HTTPRequest.Method,
    _ path: String,
    _ table: ReportTable? = nil,
    _ answer: @escaping Answer
  ) -> HTTPRoute {
    let pattern = RoutePattern("/v1/projects/{project}/analytics" + path)
    return HTTPRoute(method, pattern, for: .administrators) { request in
      let context = request.context
      try await threads.run {
        try access.requireAdministration(try access.identify(context), of: request.project)
      }
      let call = ReportCall(
        project: Text(request.parameters["project"] ?? ""),
        name: request.parameters["name"],
        parameters: try QueryParameters(request.query).parameters,
        bytes: try await request.collectText(upTo: Self.bodyLimit)
      )
      let reports = Reports(analytics: analytics)
      guard try call.wantsCSV(accepting: request.headers[.accept], hasTable: table != nil),
        let table
      else { return .json(try await threads.run(on: .scans) { try answer(reports, call) }) }
      return try await threads.run(on: .scans) {
        let report = try answer(reports, call)
        return .csv(table.csv(report), named: table.fileName(report))
      }
    }.openToViewers()
  }
}

extension ServiceResponse {
  /// A table as a file.
  fileprivate static func csv(_ text: String, named name: String) -> ServiceResponse {
    ServiceResponse(
      headers: [
        .contentType: "text/csv; charset=utf-8", .cacheControl: "no-store",
        .contentDisposition: "attachment; filename=\"\(name)\"",
      ],
      body: .bytes(Array(text.utf8))
    )
  }
}

/// A request for a report.
struct ReportCall: Sendable {
  let project: Text
  /// The name in the path, such as that of an audience.
  let name: String?
  let parameters: [(name: String, value: String)]
  let bytes: [UInt8]

  /// A parameter of the URL; nil where there is none or it is empty.
  func parameter(_ name: String) -> String? {
    parameters.first { $0.name == name && !$0.value.isEmpty }?.value
  }

  /// Returns true if the call asks for CSV, by the parameter or, where there is none, by the
  /// header.
  func wantsCSV(accepting header: String?, hasTable: Bool) throws(ServiceError) -> Bool {
    switch parameter("format") {
    case "csv"?:
      guard hasTable else { throw .invalidArgument("This report is not a table and can't be CSV.") }
      return true
    case "json"?: return false
    case nil:
      let types = (header ?? "").split(separator: ",").map { part in
        part.prefix { $0 != ";" }.filter { $0 != " " }.lowercased()
      }
      return hasTable && types.contains("text/csv")
    default: throw .invalidArgument("Invalid value at 'format': json or csv is expected.")
    }
  }
}
