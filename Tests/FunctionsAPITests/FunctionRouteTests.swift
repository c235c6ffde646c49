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
    test: (TestRoutes, TestServer) async throws -> Void
  ) async throws {
    let folder = FileManager.default.temporaryDirectory.path + "/functions-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let host = try FunctionHost(
      FunctionHostConfiguration(dataDirectory: folder, isDevelopment: true),
      transport: { NoTransport() },
      log: Logger(label: "functions")
    )
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
    try await Self.run { routes, _ in
      #expect(Set(routes.names) == Set(expected))
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
