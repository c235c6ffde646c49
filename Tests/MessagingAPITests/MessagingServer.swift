import BaseText
import MessagingAPI
import PushMessaging
import ServiceModule
import ServiceTestSupport
import Testing

/// Messaging over an engine in memory, with the project keys `p` and `q`.
struct MessagingServer {
  let routes: TestRoutes
  let server: TestServer
  let service: PushService

  static func run(
    takesAnyServerKey: Bool = false,
    limits: MessagingLimits = MessagingLimits(),
    test: (MessagingServer) async throws -> Void
  ) async throws {
    var made: PushService?
    try await TestServer.run { server in
      let service = PushService(
        engine: server.engine,
        threads: server.threads,
        clock: server.clock,
        limits: limits,
        audiences: KnownAudiences()
      )
      made = service
      var environment = MessagingEnvironment(
        service: service,
        access: server.access,
        threads: server.threads,
        keys: ProjectKeys(defaultProject: nil, takesAnyKey: false) { ["p", "q"].contains($0) }
      ) { Installation.read($0) }
      environment.takesAnyServerKey = takesAnyServerKey
      return .messaging(environment, transports: [:]) { _, _ in }
    } test: { routes, server in
      let service = try #require(made)
      try await test(MessagingServer(routes: routes, server: server, service: service))
    }
  }

  /// Registers an app that connects and gives its token.
  func register(
    _ installation: Installation = .first,
    as caller: TestCaller = .stranger,
    form: String = #"{"direct":{}}"#
  ) async throws -> String {
    let response = try await routes.call(
      "POST /v1/projects/\(installation.project)/registrations?key=\(installation.project)",
      as: caller,
      body: form,
      headers: installation.headers
    )
    #expect(response.outcome == "200", "\(response.text)")
    return try #require(response["token"]?.string)
  }

  /// Sends a message of project `p` and gives its id.
  func send(_ message: String, call: String = "send", more: String = "") async throws -> String {
    let response = try await routes.call(
      "POST /v1/projects/p/messages:\(call)",
      body: #"{"message":\#(message)\#(more)}"#
    )
    #expect(response.outcome == "200", "\(response.text)")
    return String(try #require(response["name"]?.string).dropFirst("projects/p/messages/".count))
  }

  /// The messages of a project, the newest first.
  func sent(of project: String = "p") async throws -> [String] {
    let response = try await routes.call("GET /v1/projects/\(project)/messages")
    return (response["messages"]?.elements ?? []).compactMap {
      $0["name"]?.string?.split(separator: "/").last.map(String.init)
    }
  }

  /// The states of a message's deliveries.
  func states(of id: String) async throws -> [String] {
    let response = try await routes.call("GET /v1/projects/p/messages/\(id)/deliveries")
    return (response["deliveries"]?.elements ?? []).compactMap { $0["state"]?.string }
  }
}

/// An app's installation, with the token that proves it.
struct Installation: Sendable {
  let project: String
  let id: String

  static let first = Installation(project: "p", id: "cAAAAAAAAAAAAAAAAAAAAA")
  static let second = Installation(project: "p", id: "cBBBBBBBBBBBBBBBBBBBBB")
  static let elsewhere = Installation(project: "q", id: "cCCCCCCCCCCCCCCCCCCCCC")

  var headers: [String: String] {
    ["x-goog-firebase-installations-auth": "FIS installation/\(project)/\(id)"]
  }

  static func read(_ token: String) -> MessagingEnvironment.Installation? {
    let parts = token.split(separator: "/")
    guard parts.count == 3, parts[0] == "installation" else { return nil }
    return MessagingEnvironment.Installation(
      project: Text(String(parts[1])),
      id: String(parts[2]),
      appID: "1:42:ios:ab"
    )
  }
}

/// The audience `loyal` of project `p`.
private struct KnownAudiences: MessageAudiences {
  func exists(_ audience: String, in project: Text) throws -> Bool {
    audience == "loyal" && project == "p"
  }

  func contains(_ installation: String, _ audience: String, in project: Text) throws -> Bool {
    installation == Installation.first.id
  }
}
