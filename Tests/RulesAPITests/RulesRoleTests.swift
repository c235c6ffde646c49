import ServiceTestSupport
import Testing

/// The callers of each route of the rules API.
@Suite struct RulesRoleTests {
  static let cases: [RouteCase] = [
    RouteCase(
      "POST /v1/projects/{project}:test",
      "/v1/projects/p:test",
      body: RulesText.body(RulesText.open),
      takes: .viewer
    ),
    RouteCase(
      "POST /v1/projects/{project}/rulesets/{id}:test",
      "/v1/projects/p/rulesets/none:test",
      takes: .viewer,
      "404 NOT_FOUND There is no ruleset none."
    ),
    RouteCase(
      "POST /v1/projects/{project}/rulesets",
      "/v1/projects/p/rulesets",
      body: RulesText.body(RulesText.open)
    ),
    RouteCase(
      "GET /v1/projects/{project}/rulesets",
      "/v1/projects/p/rulesets",
      takes: .viewer
    ),
    RouteCase(
      "GET /v1/projects/{project}/rulesets/{id}",
      "/v1/projects/p/rulesets/none",
      takes: .viewer,
      "404 NOT_FOUND There is no ruleset none."
    ),
    RouteCase(
      "DELETE /v1/projects/{project}/rulesets/{id}",
      "/v1/projects/p/rulesets/none",
      "404 NOT_FOUND There is no ruleset none."
    ),
    RouteCase(
      "POST /v1/projects/{project}/releases",
      "/v1/projects/p/releases",
      body: #"{"name":"projects/p/releases/cloud.firestore","#
        + #""rulesetName":"projects/p/rulesets/none"}"#,
      "404 NOT_FOUND There is no ruleset none."
    ),
    RouteCase(
      "GET /v1/projects/{project}/releases",
      "/v1/projects/p/releases",
      takes: .viewer
    ),
    RouteCase(
      "GET /v1/projects/{project}/releases/{name=**}",
      "/v1/projects/p/releases/cloud.firestore",
      takes: .viewer,
      "404 NOT_FOUND Release cloud.firestore does not exist."
    ),
    RouteCase(
      "PATCH /v1/projects/{project}/releases/{name=**}",
      "/v1/projects/p/releases/cloud.firestore",
      body: #"{"release":{"rulesetName":"projects/p/rulesets/none"}}"#,
      "404 NOT_FOUND There is no ruleset none."
    ),
    RouteCase(
      "DELETE /v1/projects/{project}/releases/{name=**}",
      "/v1/projects/p/releases/cloud.firestore",
      "404 NOT_FOUND Release cloud.firestore does not exist."
    ),
  ]

  @Test func `every route of production is in the table`() async throws {
    try await RulesServer.run { routes, _ in
      #expect(routes.names == Set(Self.cases.map(\.route)))
    }
  }

  @Test(arguments: cases)
  func `a caller without the rights is refused, and nobody else`(_ route: RouteCase) async throws {
    try await RulesServer.run { routes, server in
      for (caller, outcome) in route.refusals {
        let response = try await routes.call(route.request, as: caller, body: route.body)
        #expect(response.outcome == outcome, "\(caller)")
      }
      #expect(try server.rules.rulesets(of: "p").isEmpty)
      for caller in route.allowed {
        let response = try await routes.call(route.request, as: caller, body: route.body)
        #expect(response.outcome == route.outcome, "\(caller)")
      }
    }
  }

  /// Development has the emulator's routes, which everybody may call.
  static let emulated: [(route: String, target: String, body: String, outcome: String)] = [
    (
      "PUT /emulator/v1/projects/{project}:securityRules", "/emulator/v1/projects/p:securityRules",
      #"{"rules":{"files":[]}}"#,
      "400 INVALID_ARGUMENT A ruleset must have exactly one source file."
    ),
    (
      "GET /emulator/v1/projects/{project}:securityRules", "/emulator/v1/projects/p:securityRules",
      "", "404 NOT_FOUND No rules are deployed for project p."
    ),
    (
      "GET /emulator/v1/projects/{project}:ruleCoverage", "/emulator/v1/projects/p:ruleCoverage",
      "", "404 NOT_FOUND No rules are deployed for project p."
    ),
    (
      "GET /emulator/v1/projects/{project}:ruleCoverage.html",
      "/emulator/v1/projects/p:ruleCoverage.html", "",
      "404 NOT_FOUND No rules are deployed for project p."
    ),
    (
      "PUT /internal/setRules", "/internal/setRules", #"{"rules":{"files":[]}}"#,
      "400 INVALID_ARGUMENT rules.files must contain at least one file."
    ),
  ]

  @Test func `development adds the routes of the emulator`() async throws {
    try await RulesServer.run(isDevelopment: true) { routes, _ in
      #expect(
        routes.names == Set(Self.cases.map(\.route)).union(Self.emulated.map(\.route))
      )
      for (route, target, body, outcome) in Self.emulated {
        let request = route.prefix { $0 != " " } + " " + target
        for caller in [TestCaller.stranger, .emulatorOwner] {
          let response = try await routes.call(request, as: caller, body: body)
          #expect(response.outcome == outcome, "\(route), \(caller)")
        }
        let user = try await routes.call(request, as: .user(), body: body)
        #expect(
          user.outcome == "403 PERMISSION_DENIED Missing or insufficient permissions.",
          "\(route)"
        )
      }
    }
  }
}
