import Access
import BaseRuntime
import BaseStatus
import Hummingbird
import Logging
import ServiceModule

/// Answers every request that is not gRPC, of both HTTP versions.
struct GatewayResponder: Sendable {
  private let responder: RouterResponder<GatewayRequestContext>
  private let peers: GatewayPeers?
  private let ledger: ByteLedger
  private let logger: Logger

  /// - Parameters:
  ///   - origins: Development's hosts and pages; nil admits all, since credentials count.
  ///   - peers: The other nodes, where there may be some.
  init(
    routes: RouteTable,
    methods: MethodTable,
    origins: DevelopmentOrigins?,
    metrics: GatewayMetrics,
    audit: AuditRecorder? = nil,
    sites: HostedOrigins? = nil,
    numbers: ProjectPaths? = nil,
    peers: GatewayPeers? = nil,
    ledger: ByteLedger,
    logger: Logger
  ) {
    let router = Router(context: GatewayRequestContext.self)
    router.addMiddleware {
      RequestObservation(metrics: metrics)
      if let sites { SiteDispatch(sites: sites) }
      if let origins { DevelopmentAccess(origins, routes: routes, log: logger) }
      CrossOriginAccess(routes: routes)
      ErrorRendering()
      RouteDispatch(routes: routes, methods: methods, audit: audit, numbers: numbers)
    }
    responder = router.buildResponder()
    self.peers = peers
    self.ledger = ledger
    self.logger = logger
  }

  /// The response; a failure has already become an error's response.
  func respond(
    to request: Request,
    requestID: String,
    peer: Peer,
    lease: RequestLease,
    cancellation: Cancellation
  ) async -> Response {
    var logger = logger
    logger[metadataKey: "request"] = "\(requestID)"
    var forwarded: ForwardedCaller?
    if let peers, let field = request.headers[.forwardedCaller] {
      forwarded = peers.caller(field, "\(request.method.rawValue) \(request.head.path ?? "/")")
      if forwarded == nil { return Self.refusal(logger) }
      // The connection is a node's; the client's own share is that of `account`.
      lease.account.trust()
      peer.activity?.isOfNode()
    }
    let peer = forwarded.map { Peer($0, isHTTP2: peer.isHTTP2) } ?? peer
    let context = GatewayRequestContext(
      source: GatewayRequestContext.Source(
        logger: logger,
        requestID: requestID,
        peer: peer,
        lease: lease,
        account: forwarded == nil ? lease.account : ledger.account(of: peer.network),
        forwarded: forwarded,
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

  /// For a caller that falsely claims to be a node with a forwarded request.
  private static func refusal(_ logger: Logger) -> Response {
    ErrorRendering.response(
      ServiceError(.permissionDenied, "The request was not forwarded by a node of this cluster."),
      isStreaming: false,
      logger: logger
    )
  }
}
