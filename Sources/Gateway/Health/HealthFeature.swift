import HTTPTypes
import Hummingbird

/// Whether the server is there, and whether it can do its work.
///
///     GET /          Ok
///     GET /healthz   ok; 503 with a line a problem
struct HealthFeature: HTTPFeature {
  let health: ServerHealth

  func addRoutes(to router: Router<GatewayRequestContext>) {
    router.get("/") { _, _ in "Ok\n" }
    router.get("/healthz") { _, _ in
      let problems = health.problems
      guard !problems.isEmpty else { return Response.text("ok\n", status: .ok) }
      return Response.text(
        problems.map { $0 + "\n" }.joined(),
        status: .serviceUnavailable
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
