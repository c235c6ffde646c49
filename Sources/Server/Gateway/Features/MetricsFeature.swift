import Hummingbird

/// The process's metrics.
///
///     GET /metrics   Prometheus' text format
struct MetricsFeature: HTTPFeature {
  let registry: MetricsRegistry

  func addRoutes(to router: Router<GatewayRequestContext>) {
    router.get("/metrics") { _, _ in
      Response(
        status: .ok,
        headers: [.contentType: "text/plain; version=0.0.4; charset=utf-8"],
        body: ResponseBody(byteBuffer: ByteBuffer(string: registry.render()))
      )
    }
  }
}
