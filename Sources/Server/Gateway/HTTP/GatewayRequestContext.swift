import Access
import HTTPTypes
import Hummingbird
import Logging
import NIOCore

/// What the gateway knows of an HTTP request beside its head and body.
package struct GatewayRequestContext: RequestContext {
  /// Where a context comes from: the connection.
  package struct Source: RequestContextSource {
    package let logger: Logger
    let requestID: String
    let peer: Peer
    let lease: RequestLease
    let cancellation: Cancellation
  }

  package var coreContext: CoreRequestContextStorage
  /// Names the request in logs and in `x-request-id`.
  package let requestID: String
  private let peer: Peer
  /// What the request holds of the process's memory.
  let lease: RequestLease
  /// Goes up when the client went away.
  package let cancellation: Cancellation
  /// Whether `DevelopmentAccess` took it for a client's alone.
  var isForeignPage = false

  /// A context for a request of that connection.
  package init(source: Source) {
    coreContext = CoreRequestContextStorage(source: source)
    requestID = source.requestID
    peer = source.peer
    lease = source.lease
    cancellation = source.cancellation
  }

  /// Whether the connection speaks HTTP/2.
  var isHTTP2: Bool { peer.isHTTP2 }

  /// The client's IP address, by which attempts are counted.
  package var peerAddress: String { peer.address }

  /// The request as the service's calls know it.
  package func call(_ request: Request) -> CallContext {
    CallContext(
      requestID: requestID,
      authorization: request.headers[.authorization],
      isSecure: peer.isSecure,
      isLocal: peer.isLocal,
      isForeignPage: isForeignPage,
      network: peer.networkName,
      cancellation: cancellation,
      memory: peer.memory
    )
  }
}

/// A group of HTTP routes: one file, which opens with the list of them.
package protocol HTTPFeature: Sendable {
  /// Answers a claimed request.
  typealias Handler = @Sendable (Request, GatewayRequestContext) async throws -> Response

  /// Binds the routes.
  func addRoutes(to router: Router<GatewayRequestContext>)

  /// The handler of a request that the feature claims before any route is tried; nil leaves it.
  ///
  /// For APIs whose paths mingle with another's: Google's projects are the root of several, and a
  /// router's tree cannot tell `projects/p/accounts:lookup` from a document's path.
  func claim(_ method: HTTPRequest.Method, _ path: String) -> Handler?
}

extension HTTPFeature {
  package func addRoutes(to router: Router<GatewayRequestContext>) {}

  package func claim(_ method: HTTPRequest.Method, _ path: String) -> Handler? { nil }
}

/// Asks the features in their order who claims a request, before the router does.
struct ClaimedRequests: RouterMiddleware {
  let features: [any HTTPFeature]

  func handle(
    _ request: Request,
    context: GatewayRequestContext,
    next: (Request, GatewayRequestContext) async throws -> Response
  ) async throws -> Response {
    for feature in features {
      if let handler = feature.claim(request.method, request.uri.path) {
        return try await handler(request, context)
      }
    }
    return try await next(request, context)
  }
}
