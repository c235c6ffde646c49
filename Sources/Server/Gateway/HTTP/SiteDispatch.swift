import Access
import FirestoreWire
import HTTPTypes
import Hummingbird
import NIOCore
import ServiceModule

/// Passes requests for sites' hosts to them, before any part of the server sees them.
struct SiteDispatch: RouterMiddleware {
  let sites: HostedOrigins

  func handle(
    _ request: Request,
    context: GatewayRequestContext,
    next: (Request, GatewayRequestContext) async throws -> Response
  ) async throws -> Response {
    let path = request.uri.path
    guard let authority = request.head.authority, !Self.isProbe(path) else {
      return try await next(request, context)
    }
    if let becomeCurrent = sites.becomeCurrent, sites.mayBeSite(authority) {
      do {
        try await becomeCurrent()
      } catch {
        return try await ErrorRendering().handle(request, context: context) { _, _ in throw error }
      }
    }
    switch sites.owner(authority) {
    case .server: return try await next(request, context)
    case .nobody where Self.isChallenge(path): return try await next(request, context)
    case .nobody: return Self.misdirected
    case .site where sites.isOfServer(path): return try await next(request, context)
    case .site: return try await answer(request, path, context)
    }
  }

  /// Paths that load balancers and collectors ask for, by any name.
  private static func isProbe(_ path: String) -> Bool {
    path == "/healthz" || path == "/readyz" || path == "/livez" || path == "/metrics"
  }

  /// A host is proved to lead here before anybody has it.
  private static func isChallenge(_ path: String) -> Bool {
    path.hasPrefix("/.well-known/acme-challenge/")
  }

  private func answer(
    _ request: Request,
    _ path: String,
    _ context: GatewayRequestContext
  ) async throws -> Response {
    var head = request.head
    head.path = path + (request.uri.query.map { "?\($0)" } ?? "")
    if head.method == .head { head.method = .get }
    let call = ServiceRequest(
      head: head,
      parameters: [:],
      rest: [],
      context: context.call(request),
      address: context.peerAddress,
      isHTTP2: context.isHTTP2,
      logger: context.logger,
      body: ServiceBody(request.body.map { Array(buffer: $0) })
    )
    defer { withExtendedLifetime(call) {} }
    return try await ErrorRendering().handle(request, context: context) { _, _ in
      Response(try await sites.answer(call))
    }
  }

  private static var misdirected: Response {
    let text = ByteBuffer(string: "This server does not serve this host.\n")
    return Response(
      status: HTTPResponse.Status(code: 421, reasonPhrase: "Misdirected Request"),
      headers: [.contentType: "text/plain; charset=utf-8"],
      body: ResponseBody(byteBuffer: text)
    )
  }
}
