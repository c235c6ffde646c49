import Access
import BaseRuntime
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import ServiceModule

/// What the gateway knows of an HTTP request beside its head and body.
package struct GatewayRequestContext: RequestContext {
  /// Where a context comes from: the connection.
  package struct Source: RequestContextSource {
    /// The logger of the request.
    package let logger: Logger
    let requestID: String
    let peer: Peer
    let lease: RequestLease
    /// Of the client, also where another node has the connection.
    let account: LedgerAccount
    let forwarded: ForwardedCaller?
    let cancellation: Cancellation
  }

  /// The storage that Hummingbird requires of a context.
  package var coreContext: CoreRequestContextStorage
  /// Names the request in logs and in `x-request-id`.
  package let requestID: String
  private let peer: Peer
  /// What the request holds of the process's memory.
  let lease: RequestLease
  private let account: LedgerAccount
  /// Whether another node passed it on.
  let isForwarded: Bool
  /// Goes up when the client went away.
  package let cancellation: Cancellation
  /// Whether `DevelopmentAccess` took it for a client's alone.
  var isForeignPage: Bool

  /// A context for a request of that connection.
  package init(source: Source) {
    coreContext = CoreRequestContextStorage(source: source)
    requestID = source.requestID
    peer = source.peer
    lease = source.lease
    account = source.account
    isForwarded = source.forwarded != nil
    isForeignPage = source.forwarded?.isForeignPage ?? false
    cancellation = source.cancellation
  }

  /// Whether the connection speaks HTTP/2.
  var isHTTP2: Bool { peer.isHTTP2 }

  /// The client's IP address, by which attempts are counted.
  package var peerAddress: String { peer.address }

  /// The caller of the request as the log of requests names it.
  func caller(_ request: Request) -> RequestLog.Caller {
    RequestLog.Caller(
      requestID: requestID,
      authorization: request.headers[.authorization],
      memory: peer.memory,
      address: peer.address
    )
  }

  /// The request as the service's calls know it.
  package func call(
    _ request: Request,
    demand: AdministratorRole = .editor,
    actor: CallActor? = nil
  ) -> CallContext {
    CallContext(
      requestID: requestID,
      authorization: request.headers[.authorization],
      isSecure: peer.isSecure,
      isLocal: peer.isLocal,
      isForeignPage: isForeignPage,
      network: peer.networkName,
      cancellation: cancellation,
      memory: peer.memory,
      account: account,
      demand: demand,
      isForwarded: isForwarded,
      actor: actor
    )
  }
}
