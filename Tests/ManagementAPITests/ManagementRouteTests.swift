import Authentication
import BaseJSON
import BaseText
import ManagementAPI
import ServiceModule
import ServiceTestSupport
import Synchronization
import Testing

/// Projects, apps and preliminaries as Google's command lines ask for them.
@Suite struct ManagementRouteTests {
  /// Projects that were made, beside `p` and `q`.
  private final class Made: Sendable {
    let projects = Mutex<Set<Text>>(["p", "q"])
  }

  private static func run(test: (TestRoutes) async throws -> Void) async throws {
    let made = Made()
    try await TestServer.run { server in
      var configuration = AccountsConfiguration()
      configuration.origin = "https://brasa.example"
      let accounts = try Accounts(
        engine: server.engine,
        configuration: configuration,
        passwords: PasswordPool(niceness: 0)
      )
      return .management(
        ManagementEnvironment(
          accounts: accounts,
          access: server.access,
          threads: server.threads,
          numbers: ProjectNumbers(
            number: { $0 == "p" ? 7 : 8 },
            projects: { made.projects.withLock { $0 } }
          ),
          isDevelopment: false,
          site: { $0.string },
          make: { project in made.projects.withLock { _ = $0.insert(project) } },
          file: { app, project in ("file-of-\(project)", "{\"appId\":\"\(app.id)\"}") }
        )
      )
    } test: { routes, _ in
      try await test(routes)
    }
  }

  private static let noApp = "404 NOT_FOUND There is no app a."

  private static func apps(_ kind: String, body: String) -> [RouteCase] {
    let root = "/v1beta1/projects/{project}/\(kind)"
    let path = "/v1beta1/projects/p/\(kind)"
    return [
      RouteCase("GET \(root)", path, takes: .viewer),
      RouteCase("POST \(root)", path, body: body),
      RouteCase("GET \(root)/{app}", "\(path)/a", takes: .viewer, noApp),
      RouteCase("GET \(root)/{app}/config", "\(path)/a/config", takes: .viewer, noApp),
      RouteCase("POST \(root)/{app}:remove", "\(path)/a:remove", noApp),
    ]
  }

  private static let services = "/v1/projects/{project}/services/{name}"
  private static let firestore = "/v1/projects/p/services/firestore.googleapis.com"
  private static let accounts = "/v1/projects/{project}/serviceAccounts/{account}"
  private static let asked = #"{"permissions":["firebase.projects.get"]}"#

  private static let projects: [RouteCase] = [
    RouteCase("GET /v1/projects/{project}", "/v1/projects/p", takes: .viewer),
    RouteCase("GET /v1beta1/projects/{project}", "/v1beta1/projects/p", takes: .viewer),
    RouteCase(
      "GET /v1beta1/projects/{project}/adminSdkConfig",
      "/v1beta1/projects/p/adminSdkConfig",
      takes: .viewer
    ),
    RouteCase("GET /v1/projects/{project}/locations", "/v1/projects/p/locations", takes: .viewer),
    RouteCase(
      "GET /v1alpha/projects/{project}/defaultBucket",
      "/v1alpha/projects/p/defaultBucket",
      takes: .viewer
    ),
    RouteCase(
      "POST /v1alpha/projects/{project}/defaultBucket",
      "/v1alpha/projects/p/defaultBucket"
    ),
    RouteCase(
      "POST /v1beta1/projects/{project}:addFirebase",
      "/v1beta1/projects/p:addFirebase"
    ),
    RouteCase(
      "GET /v1beta1/projects/{project}:searchApps",
      "/v1beta1/projects/p:searchApps",
      takes: .viewer
    ),
    RouteCase(
      "GET /v1beta1/operations/{operation}",
      "/v1beta1/operations/project.p",
      takes: .viewer
    ),
    RouteCase("GET /v1/operations/{operation}", "/v1/operations/project.p", takes: .viewer),
  ]

  private static let preliminaries: [RouteCase] = [
    RouteCase("GET \(services)", firestore, takes: .viewer),
    RouteCase("POST \(services):enable", "\(firestore):enable", takes: .viewer),
    RouteCase(
      "POST /v1beta1/projects/{project}/services/{name}:generateServiceIdentity",
      "/v1beta1/projects/p/services/pubsub.googleapis.com:generateServiceIdentity",
      takes: .viewer
    ),
    RouteCase(
      "POST \(accounts):testIamPermissions",
      "/v1/projects/p/serviceAccounts/a:testIamPermissions",
      body: asked,
      takes: .viewer
    ),
    RouteCase(
      "GET /v1/projects/{project}/billingInfo",
      "/v1/projects/p/billingInfo",
      takes: .viewer
    ),
    RouteCase(
      "POST /v1/projects/{project}:testIamPermissions",
      "/v1/projects/p:testIamPermissions",
      body: asked,
      takes: .viewer
    ),
    RouteCase(
      "POST /v1/projects/{project}:getIamPolicy",
      "/v1/projects/p:getIamPolicy",
      takes: .viewer
    ),
    RouteCase(
      "POST /v1/projects/{project}:setIamPolicy",
      "/v1/projects/p:setIamPolicy",
      body: #"{"policy":{}}"#,
      takes: .owner,
      ofServer: true,
      recent: true
    ),
    RouteCase(
      "GET /v1beta1/projects/{project}/androidApps/{app}/sha",
      "/v1beta1/projects/p/androidApps/a/sha",
      takes: .viewer,
      noApp
    ),
    RouteCase(
      "POST /v1beta1/projects/{project}/androidApps/{app}/sha",
      "/v1beta1/projects/p/androidApps/a/sha",
      takes: .owner,
      ofServer: true,
      recent: true,
      "501 UNIMPLEMENTED Fingerprints can be set only when an app is registered: brasa apps create android --sha256."
    ),
  ]

  static let cases =
    projects + preliminaries + apps("webApps", body: "{}")
    + apps("iosApps", body: #"{"bundleId":"com.example.a"}"#)
    + apps("androidApps", body: #"{"packageName":"com.example.a"}"#)

  /// Routes that are about no single project.
  private static let ofServer: Set<String> = [
    "POST /v1/projects", "GET /v1beta1/projects", "GET /v1beta1/availableProjects",
    "GET /v1beta1/operations/noop.DONE_OPERATION",
  ]

  @Test func `every route is in the table`() async throws {
    try await Self.run { routes in
      #expect(Set(Self.cases.map(\.route)).union(Self.ofServer) == routes.names)
    }
  }

  @Test(arguments: cases) func `a route serves those who may, and nobody else`(
    route: RouteCase
  ) async throws {
    try await Self.run { routes in
      for (caller, outcome) in route.refusals {
        let response = try await routes.call(route.request, as: caller, body: route.body)
        #expect(response.outcome == outcome, "\(caller)")
      }
    }
    // A second app of the same name is refused, whoever asks.
    for caller in route.allowed {
      try await Self.run { routes in
        let response = try await routes.call(route.request, as: caller, body: route.body)
        #expect(response.outcome == route.outcome, "\(caller)")
      }
    }
  }

  @Test func `a project is made by administrators of the server alone, and once`() async throws {
    try await Self.run { routes in
      let body = #"{"projectId":"new","name":"New"}"#
      for caller in [
        TestCaller.stranger, .user(), .administrator(.owner, of: "p"), .administrator(.viewer),
      ] {
        let refused = try await routes.call("POST /v1/projects", as: caller, body: body)
        #expect(refused.status == 403, "\(caller)")
      }
      let made = try await routes.call(
        "POST /v1/projects",
        as: .administrator(.editor),
        body: body
      )
      #expect(made["name"]?.string == "operations/project.new")
      #expect(made["response"]?["lifecycleState"]?.string == "ACTIVE")
      let again = try await routes.call("POST /v1/projects", body: body)
      #expect(again.outcome == "409 ALREADY_EXISTS The project new already exists.")
      for malformed in ["{}", #"{"projectId":"a/b"}"#, #"{"projectId":7}"#] {
        #expect(try await routes.call("POST /v1/projects", body: malformed).status == 400)
      }
    }
  }

  private static func projects(_ caller: TestCaller, _ routes: TestRoutes) async throws -> [String]
  {
    let response = try await routes.call("GET /v1beta1/projects", as: caller)
    return response["results"]?.elements?.compactMap { $0["projectId"]?.string } ?? []
  }

  @Test func `each administrator's list has the own projects alone`() async throws {
    try await Self.run { routes async throws in
      #expect(try await Self.projects(.key, routes) == ["p", "q"])
      #expect(try await Self.projects(.administrator(.viewer, of: "q"), routes) == ["q"])
      for path in ["/v1beta1/projects", "/v1beta1/availableProjects"] {
        #expect(try await routes.call("GET \(path)", as: .user()).status == 403)
      }
      let done = "GET /v1beta1/operations/noop.DONE_OPERATION"
      #expect(try await routes.call(done, as: .user()).status == 403)
      #expect(try await routes.call(done, as: .administrator(.viewer, of: "q")).status == 200)
    }
  }

  @Test func `an app of one project is not reached as another's`() async throws {
    try await Self.run { routes in
      let made = try await routes.call(
        "POST /v1beta1/projects/p/webApps",
        body: #"{"displayName":"Shop"}"#
      )
      let app = try #require(made["response"]?["appId"]?.string)
      #expect(app.hasPrefix("1:7:web:"))
      let config = try await routes.call("GET /v1beta1/projects/-/webApps/\(app)/config")
      #expect(config["appId"]?.string == app)
      let foreign = TestCaller.administrator(.owner, of: "q")
      for path in [
        "/v1beta1/projects/-/webApps/\(app)/config", "/v1beta1/operations/app.\(app)",
      ] {
        #expect(try await routes.call("GET \(path)", as: foreign).status == 403)
      }
      #expect(try await routes.call("GET /v1beta1/projects/q/webApps/\(app)").status == 404)
    }
  }

  @Test func `what Brasa has not is not enabled`() async throws {
    try await Self.run { routes in
      let path = "/v1/projects/p/services/translate.googleapis.com"
      #expect(try await routes.call("GET \(path)")["state"]?.string == "DISABLED")
      let refused = try await routes.call("POST \(path):enable")
      #expect(
        refused.outcome
          == "400 FAILED_PRECONDITION Brasa has no translate.googleapis.com, so the service can't be enabled."
      )
    }
  }
}
