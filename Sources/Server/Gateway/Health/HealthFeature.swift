import HTTPTypes
import Hummingbird

/// Whether the server is there, and whether it can do its work.
///
///     GET /          Ok
///     GET /healthz   ok; 503 with a line a problem; in either case a line about damaged data
struct HealthFeature: HTTPFeature {
  let health: ServerHealth
  let damage: DamageMonitor?

  func addRoutes(to router: Router<GatewayRequestContext>) {
    router.get("/") { _, _ in "Ok\n" }
    router.get("/healthz") { _, _ in
      let problems = health.problems
      // What is damaged is no reason to take the rest from clients.
      let lines = (problems.isEmpty ? ["ok"] : problems) + (damage?.healthLine.map { [$0] } ?? [])
      return Response.text(
        lines.map { $0 + "\n" }.joined(),
        status: problems.isEmpty ? .ok : .serviceUnavailable
      )
    }
  }
}

extension Response {
  fileprivate static func text(_ text: String, status: HTTPResponse.Status) -> Response {
    Response(
      status: status,
      headers: [.contentType: "text/plain; charset=utf-8"],
      body: ResponseBody(byteBuffer: ByteBuffer(string: text))
    )
  }
}
