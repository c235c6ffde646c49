import ConfigAPI
import ConfigTemplates
import ServiceModule
import ServiceTestSupport
import Testing

/// Remote Config over an engine in memory, with the projects `p` and `q`.
struct ConfigServer {
  let routes: TestRoutes
  let server: TestServer
  let templates: ConfigTemplates

  static let path = "/v1/projects/p/remoteConfig"

  static func run(test: (ConfigServer) async throws -> Void) async throws {
    var made: ConfigTemplates?
    try await TestServer.run { server in
      let templates = try ConfigTemplates(engine: server.engine, clock: server.clock)
      made = templates
      return .remoteConfig(
        templates,
        access: server.access,
        threads: server.threads,
        keys: ProjectKeys(defaultProject: nil, takesAnyKey: false) { ["p", "q"].contains($0) },
        proof: InstallationProof(believes: false, idOfSecret: { _ in nil }) { _ in nil },
        log: server.notes.logger
      )
    } test: { routes, server in
      let templates = try #require(made)
      try await test(ConfigServer(routes: routes, server: server, templates: templates))
    }
  }

  /// A template with the parameter `welcome`.
  static func template(_ value: String = "hi") -> String {
    #"{"parameters":{"welcome":{"defaultValue":{"value":"\#(value)"}}}}"#
  }

  /// Publishes a template, whatever the newest one is.
  @discardableResult
  func publish(_ template: String = template(), to path: String = path) async throws -> TestResponse
  {
    let response = try await routes.call(
      "PUT \(path)",
      body: template,
      headers: ["if-match": "*"]
    )
    #expect(response.outcome == "200", "\(response.text)")
    return response
  }

  /// The value of the parameter `welcome` in the newest version.
  func welcome() async throws -> String? {
    let response = try await routes.call("GET \(Self.path)")
    return response["parameters"]?["welcome"]?["defaultValue"]?["value"]?.string
  }
}
