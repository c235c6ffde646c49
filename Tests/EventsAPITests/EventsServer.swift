import DocumentStore
import Events
import EventsAPI
import ServiceModule
import ServiceTestSupport
import Testing

/// Events over an engine in memory, with a task queue and a topic's function in project `p`.
struct EventsServer {
  let routes: TestRoutes
  let bus: EventBus

  /// Posts nothing.
  struct Posting: EventPosting {
    func check(_ url: String) throws {}

    func post(
      _ request: EventRequest,
      to url: String,
      project: String,
      timeoutSeconds: Int
    ) async -> DeliveryOutcome {
      .failed(status: nil, reason: "nothing is posted here")
    }
  }

  static func run(test: (EventsServer) async throws -> Void) async throws {
    var made: EventBus?
    try await TestServer.run { server in
      var configuration = EventBus.Configuration(encoding: GoogleEventForm(), posting: Posting())
      configuration.clock = server.clock
      let bus = try EventBus(
        engine: server.engine,
        tap: EventTap(),
        threads: server.threads,
        configuration: configuration
      )
      var declaration = CodebaseDeclaration()
      declaration.queues = [QueueDeclaration(function: "work")]
      try bus.replaceTriggers(
        of: CodebaseName(project: "p", codebase: "default"),
        with: declaration
      ) { _ in }
      made = bus
      return .events(
        EventsEnvironment(bus: bus, access: server.access, threads: server.threads)
      )
    } test: { routes, _ in
      try await test(EventsServer(routes: routes, bus: try #require(made)))
    }
  }
}
