import Access
import HTTPTypes
import KeyValueStore
import Logging
import ServiceModule

/// Answers requests whose routes can from memory alone, on the event loops of their connections.
///
/// What it answers it answers as `GatewayResponder` would: the same access, headers, counters and log. Whatever else
/// there is to a request (a body, a refusal, an error, something to wait for) is the responder's.
struct MemoryAnswers: Sendable {
  private let routes: RouteTable
  private let origins: DevelopmentOrigins?
  private let observation: RequestObservation
  private let logger: Logger

  init(
    routes: RouteTable,
    origins: DevelopmentOrigins?,
    metrics: GatewayMetrics,
    logger: Logger
  ) {
    self.routes = routes
    self.origins = origins
    observation = RequestObservation(metrics: metrics)
    self.logger = logger
  }

  /// The answer to a GET without a body, whose body is bytes; nil where the responder has to answer.
  func answer(
    _ head: HTTPRequest,
    requestID: String,
    peer: Peer,
    account: LedgerAccount
  ) -> (response: HTTPResponse, body: [UInt8])? {
    // A whole URL for a target is the responder's.
    guard let target = head.path, target.utf8.first == UInt8(ascii: "/") else { return nil }
    let path = String(Substring(target.utf8.prefix { $0 != UInt8(ascii: "?") }))
    guard let match = routes.match(.get, path), let handler = match.route.memoryHandler,
      let isForeignPage = isForeignPage(head)
    else { return nil }
    let start = ContinuousClock.now
    var logger = logger
    logger[metadataKey: "request"] = "\(requestID)"
    let context = CallContext(
      requestID: requestID,
      authorization: head.headerFields[.authorization],
      isSecure: peer.isSecure,
      isLocal: peer.isLocal,
      isForeignPage: isForeignPage,
      network: peer.networkName,
      memory: peer.memory,
      account: account
    )
    let call = ServiceRequest(
      head: head,
      parameters: match.parameters,
      rest: match.rest,
      context: context,
      address: peer.address,
      isHTTP2: peer.isHTTP2,
      logger: logger,
      body: ServiceBody(NoBody())
    )
    // The route's handler throws it again, and is heard.
    guard let answer = try? handler(call), case .bytes(let bytes) = answer.body else { return nil }
    let response = response(answer, bytes.count, to: head, requestID, match.route)
    observation.observe(head, path, response.status, since: start, logger)
    return (response, bytes)
  }

  /// Whether a page sent the request that is a client's alone; nil where it is refused.
  private func isForeignPage(_ head: HTTPRequest) -> Bool? {
    guard let origins else { return false }
    switch origins.verdict(on: head, to: routes) {
    case .admitted: return false
    case .admittedAsClient: return true
    case .unknownHost, .foreignPage: return nil
    }
  }

  private func response(
    _ answer: ServiceResponse,
    _ bytes: Int,
    to head: HTTPRequest,
    _ requestID: String,
    _ route: HTTPRoute
  ) -> HTTPResponse {
    var headers = answer.headers
    if headers[.contentLength] == nil { headers[.contentLength] = String(bytes) }
    if let origin = head.headerFields[.origin], !route.decidesOrigins {
      CrossOriginAccess.admit(origin, to: &headers)
    }
    headers[.requestID] = requestID
    return HTTPResponse(status: answer.status, headerFields: headers)
  }
}

/// The body of a request that has none.
private struct NoBody: AsyncSequence, Sendable {
  typealias Element = [UInt8]
  typealias Failure = any Error

  struct AsyncIterator: AsyncIteratorProtocol {
    mutating func next() async throws -> [UInt8]? { nil }
  }

  func makeAsyncIterator() -> AsyncIterator { AsyncIterator() }
}
