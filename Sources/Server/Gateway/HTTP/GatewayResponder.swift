import Access
import Hummingbird
import Logging
import ServiceModule

/// Answers every request that is not gRPC, of both HTTP versions.
struct GatewayResponder: Sendable {
  private let responder: RouterResponder<GatewayRequestContext>
  private let logger: Logger

  /// - Parameter origins: Development's hosts and pages; nil admits all, since credentials count.
  init(
    routes: RouteTable,
    methods: MethodTable,
    origins: DevelopmentOrigins?,
    metrics: GatewayMetrics,
    audit: AuditRecorder? = nil,
    logger: Logger
  ) {
    let router = Router(context: GatewayRequestContext.self)
    router.addMiddleware {
      RequestObservation(metrics: metrics)
      if let origins { DevelopmentAccess(origins, routes: routes, log: logger) }
      CrossOriginAccess(routes: routes)
      ErrorRendering()
      RouteDispatch(routes: routes, methods: methods, audit: audit)
    }
    responder = router.buildResponder()
    self.logger = logger
  }

  /// The answer; what fails has become an error's answer already.
  func respond(
    to request: Request,
    requestID: String,
    peer: Peer,
    lease: RequestLease,
    cancellation: Cancellation
  ) async -> Response {
    var logger = logger
    logger[metadataKey: "request"] = "\(requestID)"
    let context = GatewayRequestContext(
      source: GatewayRequestContext.Source(
        logger: logger,
        requestID: requestID,
        peer: peer,
        lease: lease,
        cancellation: cancellation
      )
    )
    do {
      return try await responder.respond(to: request, context: context)
    } catch {
      logger.error("request failed outside its handlers", metadata: ["error": "\(error)"])
      return Response(status: .internalServerError)
    }
  }
}
