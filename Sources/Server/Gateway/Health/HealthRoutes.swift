import ServiceModule

/// Whether the server is there, and whether it can do its work.
///
///     GET /          Ok
///     GET /healthz   ok; 503 with a line a problem; in either case a line about damaged data
struct HealthRoutes: Sendable {
  let health: ServerHealth
  let damage: DamageMonitor?

  var routes: [HTTPRoute] {
    [
      HTTPRoute(.get, "/", for: .clients) { _ in .text("Ok\n") },
      HTTPRoute(.get, "/healthz", for: .clients) { _ in
        let problems = health.problems
        // What is damaged is no reason to take the rest from clients.
        let lines = (problems.isEmpty ? ["ok"] : problems) + (damage?.healthLine.map { [$0] } ?? [])
        return .text(
          lines.map { $0 + "\n" }.joined(),
          status: problems.isEmpty ? .ok : .serviceUnavailable
        )
      },
    ]
  }
}
