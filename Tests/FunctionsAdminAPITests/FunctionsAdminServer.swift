import Foundation
import FunctionHost
import FunctionsAdminAPI
import Logging
import ServiceModule
import ServiceTestSupport

/// The administration of functions of a host without functions, with the secret `KEY` in project `p`.
struct FunctionsAdminServer {
  let routes: TestRoutes
  let host: FunctionHost

  private struct NoTransport: InstanceTransport {
    struct Unreachable: Error {}

    func send(
      _ request: InvocationRequest,
      port: Int,
      within time: Duration
    ) async throws -> InvocationResponse { throw Unreachable() }

    func shutdown() async throws {}
  }

  static func run(
    isServed: Bool = true,
    test: @Sendable (FunctionsAdminServer) async throws -> Void
  ) async throws {
    let folder = FileManager.default.temporaryDirectory.path + "/admin-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let host = try FunctionHost(
      FunctionHostConfiguration(dataDirectory: folder, isDevelopment: true),
      transport: { NoTransport() },
      log: Logger(label: "functions") { _ in SwiftLogNoOpLogHandler() }
    )
    try host.secrets.set("KEY", to: "value", of: "p")
    try await TestServer.run { server in
      .functionsAdministration(
        FunctionsAdminEnvironment(
          host: isServed ? host : nil,
          access: server.access,
          threads: server.threads,
          numbers: ProjectNumbers(number: { _ in 7 }, projects: { ["p"] }),
          origin: { "https://brasa.example" }
        )
      )
    } test: { routes, _ in
      try await test(FunctionsAdminServer(routes: routes, host: host))
    }
  }
}
