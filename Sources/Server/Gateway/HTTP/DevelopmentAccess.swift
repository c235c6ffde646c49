import BaseStatus
import HTTPTypes
import Hummingbird
import Logging
import ServiceModule
import Synchronization

/// Keeps foreign pages from a development server; production has credentials instead.
final class DevelopmentAccess: RouterMiddleware {
  private let origins: DevelopmentOrigins
  private let routes: RouteTable
  private let log: Logger
  /// The refused hosts and origins that were logged.
  private let told = Mutex<Set<String>>([])

  /// The largest number of refusals that are logged.
  private static let capacity = 100

  init(_ origins: DevelopmentOrigins, routes: RouteTable, log: Logger) {
    self.origins = origins
    self.routes = routes
    self.log = log
  }

  func handle(
    _ request: Request,
    context: GatewayRequestContext,
    next: (Request, GatewayRequestContext) async throws -> Response
  ) async throws -> Response {
    // The node that passed it on has asked.
    if context.isForwarded { return try await next(request, context) }
    switch origins.verdict(on: request.head, to: routes) {
    case .admitted: return try await next(request, context)
    case .admittedAsClient:
      var context = context
      context.isForeignPage = true
      return try await next(request, context)
    case .unknownHost(let host):
      return refuse(
        host,
        "This development server does not accept requests for the host \(host.prefix(100)). "
          + "Allow it with --allow-remote-dev and --origin.",
        context
      )
    case .foreignPage(let origin):
      return refuse(
        origin,
        "Pages of \(origin.prefix(100)) are not administrators of this development server. "
          + "Allow the origin with --dev-origin.",
        context
      )
    }
  }

  private func refuse(
    _ who: String,
    _ message: String,
    _ context: GatewayRequestContext
  ) -> Response {
    let isNew = told.withLock { $0.count < Self.capacity && $0.insert(who).inserted }
    if isNew { log.warning("\(message)") }
    return ErrorRendering.response(
      ServiceError(.permissionDenied, message),
      isStreaming: false,
      logger: context.logger
    )
  }
}
