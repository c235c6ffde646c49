import HTTPTypes
import Hummingbird

/// Lets web pages of any origin call the API: what authorises a call is its token, never a cookie.
struct CrossOriginAccess: RouterMiddleware {
  func handle(
    _ request: Request,
    context: GatewayRequestContext,
    next: (Request, GatewayRequestContext) async throws -> Response
  ) async throws -> Response {
    guard let origin = request.headers[.origin] else { return try await next(request, context) }
    var response =
      request.method == .options
      ? preflight(request) : try await next(request, context)
    response.headers[.accessControlAllowOrigin] = origin
    response.headers[.accessControlAllowCredentials] = "true"
    let own = response.headers[.accessControlExposeHeaders].map { ", \($0)" } ?? ""
    response.headers[.accessControlExposeHeaders] = Self.exposed + own
    response.headers.append(HTTPField(name: .vary, value: "Origin"))
    return response
  }

  /// What pages may read of every answer; a service names what it has beside.
  private static let exposed =
    "x-http-session-id, x-client-wire-protocol, x-request-id, x-firestore-unary-trailer, etag"

  private func preflight(_ request: Request) -> Response {
    var headers: HTTPFields = [
      .accessControlAllowMethods: "GET, POST, PUT, PATCH, DELETE, OPTIONS",
      .accessControlMaxAge: "3600",
    ]
    if let asked = request.headers[.accessControlRequestHeaders] {
      headers[.accessControlAllowHeaders] = asked
    }
    if request.headers[.requestPrivateNetwork] == "true" {
      headers[.allowPrivateNetwork] = "true"
    }
    return Response(status: .ok, headers: headers)
  }
}
