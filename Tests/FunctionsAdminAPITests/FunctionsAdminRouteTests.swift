import BaseJSON
import ServiceTestSupport
import Testing

/// The rights that each route takes, and its outcome where no function is deployed.
@Suite struct FunctionsAdminRouteTests {
  private static let first = "/v1/projects/{project}/locations/{location}"
  private static let second = "/v2/projects/{project}/locations/{location}"
  private static let one = "/v1/projects/p/locations/us-central1"
  private static let two = "/v2/projects/p/locations/us-central1"
  private static let secrets = "/v1/projects/{project}/secrets"
  private static let key = "/v1/projects/p/secrets/KEY"
  private static let noFunction = "404 NOT_FOUND There is no function f."
  private static let noJob = "404 NOT_FOUND There is no job j."
  private static let noQueue = "404 NOT_FOUND There is no queue q."
  private static let noOperation =
    "404 NOT_FOUND There is no operation o. The server may have been restarted: deploy again."
  private static let noSource =
    "400 INVALID_ARGUMENT The function has no source. Request an upload URL, upload the source and pass its name."
  private static let logs = #"{"resourceNames":["projects/p"]}"#

  private static func functions(_ root: String, _ path: String) -> [RouteCase] {
    [
      RouteCase("GET \(root)/functions", "\(path)/functions", takes: .viewer),
      RouteCase("POST \(root)/functions", "\(path)/functions?functionId=f", noSource),
      RouteCase(
        "POST \(root)/functions:generateUploadUrl",
        "\(path)/functions:generateUploadUrl"
      ),
      RouteCase(
        "GET \(root)/functions/{function}",
        "\(path)/functions/f",
        takes: .viewer,
        noFunction
      ),
      RouteCase("PATCH \(root)/functions/{function}", "\(path)/functions/f", noFunction),
      RouteCase("DELETE \(root)/functions/{function}", "\(path)/functions/f"),
      RouteCase(
        "GET \(root)/operations/{operation}",
        "\(path)/operations/o",
        takes: .viewer,
        noOperation
      ),
    ]
  }

  private static func policies(_ collection: String) -> [RouteCase] {
    let (root, path) = ("\(first)/\(collection)/{function}", "\(one)/\(collection)/f")
    return [
      RouteCase("GET \(root):getIamPolicy", "\(path):getIamPolicy", takes: .viewer, noFunction),
      RouteCase("POST \(root):setIamPolicy", "\(path):setIamPolicy", noFunction),
    ]
  }

  private static let triggers = [
    RouteCase("GET \(first)/jobs/{job}", "\(one)/jobs/j", takes: .viewer, noJob),
    RouteCase("PATCH \(first)/jobs/{job}", "\(one)/jobs/j", noJob),
    RouteCase("POST \(first)/jobs", "\(one)/jobs", body: #"{"name":"jobs/j"}"#, noJob),
    RouteCase("DELETE \(first)/jobs/{job}", "\(one)/jobs/j", noJob),
    RouteCase("GET \(second)/queues/{queue}", "\(two)/queues/q", takes: .viewer, noQueue),
    RouteCase("PATCH \(second)/queues/{queue}", "\(two)/queues/q", noQueue),
    RouteCase("POST \(second)/queues/{queue}:purge", "\(two)/queues/q:purge", noQueue),
    RouteCase(
      "POST \(second)/queues/{queue}:getIamPolicy",
      "\(two)/queues/q:getIamPolicy",
      noQueue
    ),
    RouteCase(
      "POST \(second)/queues/{queue}:setIamPolicy",
      "\(two)/queues/q:setIamPolicy",
      noQueue
    ),
    RouteCase("GET \(first)/channels/{channel}", "\(one)/channels/c", takes: .viewer),
  ]

  private static let vault = [
    RouteCase("GET \(secrets)", "/v1/projects/p/secrets", takes: .viewer),
    RouteCase("POST \(secrets)", "/v1/projects/p/secrets?secretId=NEW", body: "{}"),
    RouteCase("GET \(secrets)/{secret}", key, takes: .viewer),
    RouteCase(
      "PATCH \(secrets)/{secret}",
      "\(key)?updateMask=labels",
      body: #"{"labels":{"a":"b"}}"#
    ),
    RouteCase("DELETE \(secrets)/{secret}", key),
    RouteCase(
      "POST \(secrets)/{secret}:addVersion",
      "\(key):addVersion",
      body: #"{"payload":{"data":"eA=="}}"#
    ),
    RouteCase("GET \(secrets)/{secret}:getIamPolicy", "\(key):getIamPolicy", takes: .viewer),
    RouteCase("POST \(secrets)/{secret}:setIamPolicy", "\(key):setIamPolicy", body: "{}"),
    RouteCase("GET \(secrets)/{secret}/versions", "\(key)/versions", takes: .viewer),
    RouteCase(
      "GET \(secrets)/{secret}/versions/{version}",
      "\(key)/versions/latest",
      takes: .viewer
    ),
    RouteCase(
      "GET \(secrets)/{secret}/versions/{version}:access",
      "\(key)/versions/1:access",
      takes: .owner
    ),
    RouteCase(
      "POST \(secrets)/{secret}/versions/{version}:destroy",
      "\(key)/versions/1:destroy"
    ),
  ]

  private static let others = [
    RouteCase("GET \(first)/services/{function}", "\(one)/services/f", takes: .viewer, noFunction),
    RouteCase(
      "GET /v1beta1/projects/{project}/configs",
      "/v1beta1/projects/p/configs",
      takes: .viewer
    ),
    RouteCase(
      "GET \(first)/repositories/{repository}",
      "\(one)/repositories/gcf-artifacts",
      takes: .viewer
    ),
    RouteCase(
      "DELETE \(first)/repositories/{repository}/packages/{package}",
      "\(one)/repositories/gcf-artifacts/packages/f"
    ),
    RouteCase("POST /v2/entries:list", "/v2/entries:list", body: logs, takes: .viewer),
  ]

  static let cases =
    functions(first, one) + functions(second, two) + policies("functions") + policies("services")
    + triggers + vault + others

  @Test func `every route is in the table`() async throws {
    try await FunctionsAdminServer.run { server in
      // A token in the URL is all that an upload takes.
      let upload = "PUT /v2/functions/uploads/{upload}"
      #expect(Set(Self.cases.map(\.route) + [upload]) == server.routes.names)
    }
  }

  @Test(arguments: cases) func `a route serves those who may, and nobody else`(
    route: RouteCase
  ) async throws {
    try await FunctionsAdminServer.run { server in
      for (caller, outcome) in route.refusals {
        let response = try await server.routes.call(route.request, as: caller, body: route.body)
        #expect(response.outcome == outcome, "\(caller)")
      }
    }
    for caller in route.allowed {
      try await FunctionsAdminServer.run { server in
        let response = try await server.routes.call(route.request, as: caller, body: route.body)
        #expect(response.outcome == route.outcome, "\(caller)")
      }
    }
  }

  @Test func `an upload takes its token, and once more its project`() async throws {
    try await FunctionsAdminServer.run { server in
      let made = try await server.routes.call("POST \(Self.two)/functions:generateUploadUrl")
      let url = try #require(made["uploadUrl"]?.string)
      let path = String(url.dropFirst("https://brasa.example".count))
      let forged = try await server.routes.call("PUT \(path)x", as: .stranger, body: "archive")
      #expect(
        forged.outcome == "403 PERMISSION_DENIED The upload has ended. Ask for another URL."
      )
      let sent = try await server.routes.call("PUT \(path)", as: .stranger, body: "archive")
      #expect(sent.outcome == "200")
      let name = String(try #require(made["storageSource"]?["object"]?.string).dropLast(4))
      #expect(try server.host.uploads.archive(name, of: "p") == Array("archive".utf8))
      #expect(throws: (any Error).self) { try server.host.uploads.archive(name, of: "q") }
    }
  }

  @Test func `the value of a secret is for owners, its versions are listed`() async throws {
    try await FunctionsAdminServer.run { server in
      let body = #"{"payload":{"data":"c2Vjb25k"}}"#
      let added = try await server.routes.call("POST \(Self.key):addVersion", body: body)
      #expect(added["name"]?.string == "projects/p/secrets/KEY/versions/2")
      let value = try await server.routes.call("GET \(Self.key)/versions/latest:access")
      #expect(value["payload"]?["data"]?.string == "c2Vjb25k")
      _ = try await server.routes.call("POST \(Self.key)/versions/2:destroy")
      let gone = try await server.routes.call("GET \(Self.key)/versions/2:access")
      #expect(gone.outcome.hasPrefix("400 FAILED_PRECONDITION Version 2 of the secret KEY"))
      let listed = try await server.routes.call("GET \(Self.key)/versions")
      let states = listed["versions"]?.elements?.compactMap { $0["state"]?.string }
      #expect(states == ["DESTROYED", "ENABLED"])
    }
  }

  @Test func `a server without functions says how to have them`() async throws {
    try await FunctionsAdminServer.run(isServed: false) { server in
      let response = try await server.routes.call("GET \(Self.two)/functions")
      #expect(
        response.outcome
          == "400 FAILED_PRECONDITION Functions are off. Start the server with brasa serve --functions."
      )
    }
  }
}
