import ServiceTestSupport
import Testing

/// The callers of each route of analytics.
@Suite struct AnalyticsRoleTests {
  private static let pattern = "/v1/projects/{project}/analytics"
  private static let path = AnalyticsServer.reports

  /// A report that viewers read.
  private static func report(_ name: String, _ query: String = "") -> RouteCase {
    RouteCase("GET \(pattern)/\(name)", "\(path)/\(name)\(query)", takes: .viewer)
  }

  static let cases: [RouteCase] = [
    report("live"), report("debug"), report("events"), report("breakdown", "?by=country"),
    report("users"), report("retention"), report("audiences"), report("timeline", "?user=ana"),
    report("dropped"), report("days"), report("settings"),
    RouteCase("GET \(pattern)/events/{name}", "\(path)/events/view_item", takes: .viewer),
    RouteCase(
      "POST \(pattern)/funnel",
      "\(path)/funnel",
      body: #"{"steps":["view_item"]}"#,
      takes: .viewer
    ),
    RouteCase(
      "GET \(pattern)/audiences/{name}",
      "\(path)/audiences/loyal",
      takes: .viewer,
      #"404 NOT_FOUND There is no audience "loyal"."#
    ),
    RouteCase(
      "PUT \(pattern)/audiences/{name}",
      "\(path)/audiences/loyal",
      body: #"{"rule":{"event":"view_item"}}"#
    ),
    RouteCase(
      "DELETE \(pattern)/audiences/{name}",
      "\(path)/audiences/loyal",
      #"404 NOT_FOUND There is no audience "loyal"."#
    ),
    RouteCase("PATCH \(pattern)/settings", "\(path)/settings", body: #"{"retentionDays":30}"#),
    RouteCase(
      "POST \(pattern)/erase",
      "\(path)/erase",
      body: #"{"userId":"ana"}"#,
      recent: true
    ),
    RouteCase("GET \(pattern)/export/{name}", "\(path)/export/2027-01-15", takes: .viewer),
  ]

  /// Routes for apps and back ends; each has tests of its own.
  static let clients: Set<String> = [
    "POST /v1/projects/{project}/apps/{app}/events:batch", "POST /mp/collect",
    "POST /debug/mp/collect",
  ]

  @Test func `every route is in a table`() async throws {
    try await AnalyticsServer.run { analytics in
      #expect(analytics.routes.names == Self.clients.union(Self.cases.map(\.route)))
    }
  }

  @Test(arguments: cases)
  func `a caller without the rights is refused, and nobody else`(_ route: RouteCase) async throws {
    try await AnalyticsServer.run { analytics in
      let routes = analytics.routes
      for (caller, outcome) in route.refusals {
        let response = try await routes.call(route.request, as: caller, body: route.body)
        #expect(response.outcome == outcome, "\(caller)")
      }
      #expect(analytics.analytics.projects.isEmpty)
      for caller in route.allowed {
        let response = try await routes.call(route.request, as: caller, body: route.body)
        #expect(response.outcome == route.outcome, "\(caller)")
      }
    }
  }
}
