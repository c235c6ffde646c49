import Hummingbird

/// Whether the server is there.
///
///     GET /          Ok
///     GET /healthz   ok
struct HealthFeature: HTTPFeature {
  func addRoutes(to router: Router<GatewayRequestContext>) {
    router.get("/") { _, _ in "Ok\n" }
    router.get("/healthz") { _, _ in "ok\n" }
  }
}
