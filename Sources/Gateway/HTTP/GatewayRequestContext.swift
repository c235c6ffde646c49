import FirestoreService
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
    let cancellation: Cancellation
  }

  package var coreContext: CoreRequestContextStorage
  /// Names the request in logs and in `x-request-id`.
  package let requestID: String
  private let peer: Peer
  /// Goes up when the client went away.
  package let cancellation: Cancellation

  /// A context for a request of that connection.
  package init(source: Source) {
    coreContext = CoreRequestContextStorage(source: source)
    requestID = source.requestID
    peer = source.peer
    cancellation = source.cancellation
  }

  /// The request as the service's calls know it.
  package func call(_ request: Request) -> CallContext {
    CallContext(
      requestID: requestID,
      authorization: request.headers[.authorization],
      isSecure: peer.isSecure,
      isLocal: peer.isLocal,
      cancellation: cancellation
    )
  }
}

/// A group of HTTP routes: one file, which opens with the list of them.
package protocol HTTPFeature: Sendable {
  /// Binds the routes.
  func addRoutes(to router: Router<GatewayRequestContext>)
}
