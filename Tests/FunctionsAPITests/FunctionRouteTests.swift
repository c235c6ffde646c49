import Authentication
import BaseText
import Foundation
import FunctionHost
import FunctionsAPI
import Logging
import ServiceModule
import ServiceTestSupport
import Testing

/// The routes of functions on a host without functions.
@Suite struct FunctionRouteTests {
  private struct NoTransport: InstanceTransport {
    struct Unreachable: Error {}

    func send(
      _ request: InvocationRequest,
      port: Int,
      within time: Duration
    ) async throws -> InvocationResponse { throw Unreachable() }

    func shutdown() async throws {}
  }

  private static func run(
    preparing prepare: (FunctionHost) -> Void = { _ in },
    test: (TestRoutes, TestServer) async throws -> Void
  ) async throws {
    let folder = FileManager.default.temporaryDirectory.path + "/functions-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let host = try FunctionHost(
      FunctionHostConfiguration(dataDirectory: folder, isDevelopment: true),
      transport: { NoTransport() },
      log: Logger(label: "functions")
    )
    prepare(host)
    try await TestServer.run { server in
      .functions(host, access: server.access, threads: server.threads)
    } test: { routes, server in
      try await test(routes, server)
    }
  }

  @Test func `every route is named here`() async throws {
    let methods = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"]
    var expected: [String] = []
    for region in FunctionRegions.all {
      for path in ["/{project}/\(region)/{name}", "/{project}/\(region)/{name}/{path=**}"] {
        expected += methods.map { "\($0) \(path)" }
      }
    }
    expected.append("GET /computeMetadata/v1/{path=**}")
    expected += Self.cases.map(\.route)
    try await Self.run { routes, _ in
      #expect(Set(routes.names) == Set(expected))
    }
  }

  static let cases: [RouteCase] = [
    RouteCase(
      "GET /v1/projects/{project}/functions",
      "/v1/projects/p/functions",
      takes: .viewer
    ),
    RouteCase(
      "GET /v1/projects/{project}/functionLogs",
      "/v1/projects/p/functionLogs?after=0",
      takes: .viewer
    ),
  ]

  @Test(arguments: cases) func `administrators of the project look, and nobody else`(
    route: RouteCase
  ) async throws {
    try await Self.run { routes, _ in
      for (caller, outcome) in route.refusals {
        let response = try await routes.call(route.request, as: caller)
        #expect(response.outcome == outcome, "\(caller)")
      }
      for caller in route.allowed {
        let response = try await routes.call(route.request, as: caller)
        #expect(response.outcome == route.outcome, "\(caller)")
      }
    }
  }

  @Test func `the lines are those of the project, behind a number and with the words`()
    async throws
  {
    let prepare: (FunctionHost) -> Void = { host in
      let (own, other) = (
        FunctionLogs.Key(project: "p", function: "greet"),
        FunctionLogs.Key(project: "q", function: "greet")
      )
      host.logs.append(own, severity: "INFO", execution: "e1", "Good Morning")
      host.logs.append(other, severity: "ERROR", "of another project")
      host.logs.append(own, severity: "ERROR", "good night")
    }
    try await Self.run(preparing: prepare) { routes, _ async throws in
      func lines(_ query: String) async throws -> [String?] {
        let response = try await routes.call("GET /v1/projects/p/functionLogs\(query)")
        #expect(response["last"]?.integer == 3)
        return (response["lines"]?.elements ?? []).map { $0["message"]?.string }
      }
      #expect(try await lines("") == ["Good Morning", "good night"])
      #expect(try await lines("?after=1") == ["good night"])
      #expect(try await lines("?text=GOOD%20m") == ["Good Morning"])
      #expect(try await lines("?function=absent") == [])
    }
  }

  @Test(arguments: ["GET", "POST", "OPTIONS"])
  func `a function that is not there is not found`(_ method: String) async throws {
    try await Self.run { routes, _ in
      for path in ["/p/us-central1/absent", "/p/us-central1/absent/a/b", "/p/europe-west1/.."] {
        let response = try await routes.call("\(method) \(path)", as: .stranger)
        #expect(response.status == 404)
      }
    }
  }

  @Test func `only instances have metadata`() async throws {
    try await Self.run { routes, _ in
      let path = "/computeMetadata/v1/instance/service-accounts/default/token"
      for caller in [TestCaller.stranger, .key] {
        let response = try await routes.call("GET \(path)", as: caller)
        #expect(response.status == 404)
      }
    }
  }

  @Test func `a server without functions refuses what they would decide about`() {
    let type = "providers/cloud.auth/eventTypes/user.beforeSignIn"
    let gate = ClosedSignInGate(["shop": [type]])
    #expect(gate.guardedSteps(of: "shop") == [.beforeSignIn])
    #expect(gate.guardedSteps(of: "bank").isEmpty)
  }
}
