import ServiceModule

/// The routes that show that the server is there, and that it can do its work.
///
///     GET /          Ok; what a service says for requests that are its own
///     GET /healthz   ok; 503 with a line a problem; in either case lines about damaged data
///                    and what else an operator has to look at
struct HealthRoutes: Sendable {
  let health: ServerHealth
  let damage: DamageMonitor?
  var roots: [RootRoute] = []

  var routes: [HTTPRoute] {
    [
      HTTPRoute(.get, "/", for: .clients) { [roots] request in
        guard let root = roots.first(where: { $0.accepts(request) }) else { return .text("Ok\n") }
        return try await root.route.handler(request)
      },
      HTTPRoute(.get, "/healthz", for: .clients) { _ in
        let problems = health.problems
        // Damage and warnings are no reason to take the rest from clients.
        let warnings = (damage?.healthLine.map { [$0] } ?? []) + health.warnings
        let lines = (problems.isEmpty ? ["ok"] : problems) + warnings
        return .text(
          lines.map { $0 + "\n" }.joined(),
          status: problems.isEmpty ? .ok : .serviceUnavailable
        )
      },
    ]
  }
}
