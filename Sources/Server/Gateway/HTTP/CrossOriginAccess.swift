import HTTPTypes
import Hummingbird
import ServiceModule

/// Lets web pages of any origin call the API: a token authorizes a call, never a cookie.
///
/// Routes that decide themselves about origins are left alone.
struct CrossOriginAccess: RouterMiddleware {
  let routes: RouteTable

  func handle(
    _ request: Request,
    context: GatewayRequestContext,
    next: (Request, GatewayRequestContext) async throws -> Response
  ) async throws -> Response {
    guard let origin = request.headers[.origin], !isDecidedElsewhere(request) else {
      return try await next(request, context)
    }
    var response =
      request.method == .options
      ? preflight(request) : try await next(request, context)
    Self.admit(origin, to: &response.headers)
    return response
  }

  /// Lets pages of an origin read a response with those headers.
  static func admit(_ origin: String, to headers: inout HTTPFields) {
    headers[.accessControlAllowOrigin] = origin
    headers[.accessControlAllowCredentials] = "true"
    let own = headers[.accessControlExposeHeaders].map { ", \($0)" } ?? ""
    headers[.accessControlExposeHeaders] = exposed + own
    headers.append(HTTPField(name: .vary, value: "Origin"))
  }

  /// Returns true if the route of the request, or of the one that a preflight announces, decides
  /// about origins.
  private func isDecidedElsewhere(_ request: Request) -> Bool {
    let announced = request.headers[.accessControlRequestMethod].flatMap { HTTPRequest.Method($0) }
    let method = request.method == .options ? announced ?? .options : request.method
    return routes.match(method, request.uri.path, of: request.head)?.route.decidesOrigins ?? false
  }

  /// The headers that pages may read of every response; a service names others.
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
