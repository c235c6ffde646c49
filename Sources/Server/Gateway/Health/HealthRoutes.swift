import ServiceModule

/// Whether the server is there, and whether it can do its work.
///
///     GET /          Ok
///     GET /healthz   ok; 503 with a line a problem; in either case lines about damaged data
///                    and what else an operator has to look at
struct HealthRoutes: Sendable {
  let health: ServerHealth
  let damage: DamageMonitor?

  var routes: [HTTPRoute] {
    [
      HTTPRoute(.get, "/", for: .clients) { _ in .text("Ok\n") },
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
