import ServiceTestSupport
import Testing

/// The callers of each route of Remote Config.
@Suite struct ConfigRoleTests {
  private static let noMatch =
    "400 INVALID_ARGUMENT If-Match is missing. Send the etag of the version to replace, or \"*\"."

  private static func cases(_ pattern: String, _ path: String) -> [RouteCase] {
    [
      RouteCase("GET \(pattern)", path, takes: .viewer),
      RouteCase("PUT \(pattern)", path, body: ConfigServer.template(), noMatch),
      RouteCase(
        "POST \(pattern):rollback",
        "\(path):rollback",
        "400 INVALID_ARGUMENT versionNumber is missing."
      ),
      RouteCase("GET \(pattern):listVersions", "\(path):listVersions", takes: .viewer),
      RouteCase(
        "GET \(pattern):downloadDefaults",
        "\(path):downloadDefaults?format=json",
        takes: .viewer
      ),
      RouteCase("POST \(pattern):evaluate", "\(path):evaluate", takes: .viewer),
      RouteCase("GET \(pattern)/experiments", "\(path)/experiments", takes: .viewer),
      RouteCase(
        "GET \(pattern)/experiments/{name}",
        "\(path)/experiments/e",
        takes: .viewer,
        #"404 NOT_FOUND There is no experiment "e"."#
      ),
      RouteCase("GET \(pattern)/drafts", "\(path)/drafts", takes: .viewer),
      RouteCase(
        "GET \(pattern)/drafts/{name}",
        "\(path)/drafts/d",
        takes: .viewer,
        "404 NOT_FOUND There is no draft d."
      ),
      RouteCase(
        "PUT \(pattern)/drafts/{name}",
        "\(path)/drafts/d",
        "400 INVALID_ARGUMENT A draft has a template."
      ),
      RouteCase(
        "DELETE \(pattern)/drafts/{name}",
        "\(path)/drafts/d",
        "404 NOT_FOUND There is no draft d."
      ),
    ]
  }

  static let cases: [RouteCase] =
    cases("/v1/projects/{project}/remoteConfig", ConfigServer.path)
    + cases(
      "/v1/projects/{project}/namespaces/{namespace}/remoteConfig",
      "/v1/projects/p/namespaces/firebase-server/remoteConfig"
    ) + [
      RouteCase(
        "GET /v1/projects/{project}/namespaces/{namespace}/serverRemoteConfig",
        "/v1/projects/p/namespaces/firebase-server/serverRemoteConfig",
        takes: .viewer
      ),
      RouteCase(
        "GET /v1/projects/{project}/namespaces/{namespace}/experiments",
        "/v1/projects/p/namespaces/firebase/experiments",
        takes: .viewer
      ),
      RouteCase(
        "GET /v1/projects/{project}/namespaces/{namespace}/experiments/{id}",
        "/v1/projects/p/namespaces/firebase/experiments/none",
        takes: .viewer,
        "404 NOT_FOUND There is no experiment none."
      ),
      RouteCase(
        "GET /v1/projects/{project}/namespaces/{namespace}/rollouts",
        "/v1/projects/p/namespaces/firebase/rollouts",
        takes: .viewer
      ),
      RouteCase(
        "GET /v1/projects/{project}/namespaces/{namespace}/rollouts/{id}",
        "/v1/projects/p/namespaces/firebase/rollouts/none",
        takes: .viewer,
        "404 NOT_FOUND There is no rollout none."
      ),
    ]

  /// Routes for apps; each has tests of its own.
  static let clients: Set<String> = [
    "POST /v1/projects/{project}/namespaces/{namespace}:fetch",
    "POST /v1/projects/{project}/namespaces/{namespace}:streamFetchInvalidations",
  ]

  @Test func `every route is in a table`() async throws {
    try await ConfigServer.run { config in
      #expect(config.routes.names == Self.clients.union(Self.cases.map(\.route)))
    }
  }

  @Test(arguments: cases)
  func `a caller without the rights is refused, and nobody else`(_ route: RouteCase) async throws {
    try await ConfigServer.run { config in
      for (caller, outcome) in route.refusals {
        let response = try await config.routes.call(route.request, as: caller, body: route.body)
        #expect(response.outcome == outcome, "\(caller)")
      }
      for caller in route.allowed {
        let response = try await config.routes.call(route.request, as: caller, body: route.body)
        #expect(response.outcome == route.outcome, "\(caller)")
      }
    }
  }

  @Test(arguments: cases.filter { $0.route.contains("{namespace}") })
  func `an unknown namespace is not found`(_ route: RouteCase) async throws {
    try await ConfigServer.run { config in
      let response = try await config.routes.call(
        route.request.replacing(/namespaces\/[a-z-]+/, with: "namespaces/other"),
        body: route.body
      )
      #expect(response.outcome == #"404 NOT_FOUND There is no namespace "other"."#)
    }
  }
}
