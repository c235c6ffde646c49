import Foundation
import Logging
import Synchronization
import Testing

@testable import FunctionHost

/// A host that starts with what another one left.
@Suite struct RestartTests {
  private struct NoTransport: InstanceTransport {
    struct Unreachable: Error {}

    func send(
      _ request: InvocationRequest,
      port: Int,
      within time: Duration
    ) async throws -> InvocationResponse { throw Unreachable() }

    func shutdown() async throws {}
  }

  /// Keeps the names of the functions that are registered last, by codebase.
  private final class Registry: TriggerRegistry {
    let names = Mutex<[String: [String]]>([:])

    func check(_ endpoints: [FunctionEndpoint], project: String, codebase: String) throws {}

    func replace(_ endpoints: [FunctionEndpoint], project: String, codebase: String) throws {
      names.withLock { $0["\(project)/\(codebase)"] = endpoints.map(\.name) }
    }

    func remove(project: String, codebase: String) throws {}
  }

  @Test func `triggers that a server did not register any more are registered at the start`()
    async throws
  {
    let data = FileManager.default.temporaryDirectory.path + "/restart-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: data) }
    let configuration = FunctionHostConfiguration(dataDirectory: data, isDevelopment: true)
    let folder = DeploymentFolder(configuration: configuration)
    let environment = "\(configuration.environments)/python-0"
    try FileManager.default.createDirectory(
      atPath: environment,
      withIntermediateDirectories: true
    )
    try Data().write(to: URL(fileURLWithPath: environment + "/.complete"))
    // As a server leaves it that is killed behind the deployment's file.
    let manifest = """
      {"specVersion":"v1alpha1","params":[],"endpoints":{"swept":{"platform":"gcfv2","entryPoint":"swept",\
      "region":["us-central1"],"scheduleTrigger":{"schedule":"every 5 minutes"}}}}
      """
    try folder.keep([
      Deployment(
        project: "p",
        codebase: "default",
        digest: "0",
        environment: "python-0",
        manifest: manifest,
        variables: [:],
        deployed: 0,
        release: 1
      )
    ])
    let host = try FunctionHost(
      configuration,
      transport: { NoTransport() },
      log: Logger(label: "functions") { _ in SwiftLogNoOpLogHandler() }
    )
    let registry = Registry()
    await host.connect(listeners: nil, triggers: registry)
    #expect(await host.loadAll().isEmpty)
    #expect(registry.names.withLock { $0 } == ["p/default": ["swept"]])
  }
}
