import Access
import BaseRuntime
import HTTPTypes
import Logging
import NIOCore
import ServiceModule
import Synchronization

/// Serves requests whose routes can respond from memory alone, on the event loops of their
/// connections.
///
/// The responses are those of `GatewayResponder`: the same access, headers, counters and log. Every
/// other request (with a body, a refusal, an error, something to wait for) is the responder's.
struct MemoryAnswers: Sendable {
  private let routes: RouteTable
  private let origins: DevelopmentOrigins?
  private let sites: HostedOrigins?
  private let observation: RequestObservation
  private let logger: Logger
  private let calls = CallMatches()

  init(
    routes: RouteTable,
    origins: DevelopmentOrigins?,
    sites: HostedOrigins? = nil,
    metrics: GatewayMetrics,
    logger: Logger
  ) {
    self.routes = routes
    self.origins = origins
    self.sites = sites
    observation = RequestObservation(metrics: metrics)
    self.logger = logger
  }

  /// The bytes of the response to a GET without a body; nil where the responder has to answer.
  func answer(
    _ head: HTTPRequest,
    requestID: String,
    peer: Peer,
    account: LedgerAccount,
    allocator: ByteBufferAllocator
  ) -> ByteBuffer? {
    guard isOfServer(head), let match = match(.get, head), let handler = match.route.memoryHandler,
      let call = request(head, match, requestID: requestID, peer: peer, account: account)
    else { return nil }
    let start = ContinuousClock.now
    // The route's handler throws it again, and reports it.
    guard let answer = try? handler(call) else { return nil }
    observe(call, answer.head.status, since: start)
    return bytes(answer, requestID, origin(of: call, match.route), allocator)
  }

  /// `match` of a POST whose route has a handler for the loop; nil for others.
  func callMatch(_ head: HTTPRequest) -> RouteTable.Match? {
    guard isOfServer(head), let path = Self.path(of: head), !routes.isClaimed(head) else {
      return nil
    }
    if let known = calls[path] { return known }
    guard let found = routes.match(.post, path), found.route.loop != nil else { return nil }
    calls[path] = found
    return found
  }

  /// The route of a request; nil where there is none, or the target is a whole URL, which is the responder's.
  func match(_ method: HTTPRequest.Method, _ head: HTTPRequest) -> RouteTable.Match? {
    Self.path(of: head).flatMap { routes.match(method, $0, of: head) }
  }

  /// Returns true if the request's host is the server's own; those of sites have none of its
  /// routes.
  private func isOfServer(_ head: HTTPRequest) -> Bool {
    isOfServer(head.authority)
  }

  /// Returns true if a host is the server's own, and no site's.
  func isOfServer(_ authority: String?) -> Bool {
    guard let sites, let authority else { return true }
    return sites.owner(authority) == .server
  }

  private static func path(of head: HTTPRequest) -> String? {
    guard let target = head.path, target.utf8.first == UInt8(ascii: "/") else { return nil }
    return String(Substring(target.utf8.prefix { $0 != UInt8(ascii: "?") }))
  }

  /// A request without its body; nil where it is to be refused.
  func request(
    _ head: HTTPRequest,
    _ match: RouteTable.Match,
    requestID: String,
    peer: Peer,
    account: LedgerAccount,
    actor: CallActor? = nil
  ) -> ServiceRequest? {
    guard let isForeignPage = isForeignPage(head) else { return nil }
    let context = CallContext(
      requestID: requestID,
      authorization: head.headerFields[.authorization],
      isSecure: peer.isSecure,
      isLocal: peer.isLocal,
      isForeignPage: isForeignPage,
      network: peer.networkName,
      memory: peer.memory,
      account: account,
      actor: actor
    )
    return ServiceRequest(
      head: head,
      parameters: match.parameters,
      rest: match.rest,
      context: context,
      address: peer.address,
      isHTTP2: peer.isHTTP2,
      logger: logger(requestID),
      body: ServiceBody(NoBody())
    )
  }

  /// The origin of the page that is to read the response; nil where the route decides about pages.
  func origin(of request: ServiceRequest, _ route: HTTPRoute) -> String? {
    route.decidesOrigins ? nil : request.headers[.origin]
  }

  /// Counts and logs a request that was answered.
  func observe(
    _ request: ServiceRequest,
    _ status: HTTPResponse.Status,
    since start: ContinuousClock.Instant
  ) {
    observation.observe(request.head, request.path, status, since: start, request.logger) {
      RequestLog.Caller(request.context, address: request.address)
    }
  }

  private func logger(_ requestID: String) -> Logger {
    // Messages that are not written need no name.
    guard logger.logLevel <= .debug else { return logger }
    var logger = logger
    logger[metadataKey: "request"] = "\(requestID)"
    return logger
  }

  /// - Parameter origin: The origin of the page that is to read the response.
  private func bytes(
    _ answer: MemoryAnswer,
    _ requestID: String,
    _ origin: String?,
    _ allocator: ByteBufferAllocator
  ) -> ByteBuffer {
    var head = answer.head
    if let origin {
      var headers = head.headers
      CrossOriginAccess.admit(origin, to: &headers)
      head = PreparedHead(status: head.status, headers: headers)
    }
    var bytes = allocator.buffer(
      capacity: head.bytes.count + Self.ownHeaderBytes + requestID.utf8.count + answer.body.count
    )
    bytes.writeBytes(head.bytes)
    bytes.writeStaticString("x-request-id: ")
    bytes.writeString(requestID)
    bytes.writeStaticString("\r\n\r\n")
    bytes.writeBytes(answer.body)
    return bytes
  }

  /// The number of bytes of headers beside those of the response and the id's value.
  private static let ownHeaderBytes = "x-request-id: \r\n\r\n".utf8.count

  /// Returns true if a page sent the request, so that it has a client's rights alone; nil if it is
  /// refused.
  private func isForeignPage(_ head: HTTPRequest) -> Bool? {
    guard let origins else { return false }
    switch origins.verdict(on: head, to: routes) {
    case .admitted: return false
    case .admittedAsClient: return true
    case .unknownHost, .foreignPage: return nil
    }
  }
}

/// The calls that paths match, so that not each path is looked up by its parts: clients and back
/// ends use few.
///
/// There are two generations. When the newer one is full, it becomes the older, and paths in use
/// move to the newer. So a client that invents paths does not evict the paths of others.
private final class CallMatches: Sendable {
  private typealias Generation = [String: RouteTable.Match]

  private let known = Mutex<(new: Generation, old: Generation)>(([:], [:]))

  private static let limit = 500
  /// In bytes.
  private static let longest = 256

  subscript(path: String) -> RouteTable.Match? {
    get {
      known.withLock { known in
        if let match = known.new[path] { return match }
        guard let match = known.old[path] else { return nil }
        Self.keep(match, path, in: &known)
        return match
      }
    }
    set {
      guard let newValue, path.utf8.count <= Self.longest else { return }
      known.withLock { Self.keep(newValue, path, in: &$0) }
    }
  }

  private static func keep(
    _ match: RouteTable.Match,
    _ path: String,
    in known: inout (new: Generation, old: Generation)
  ) {
    if known.new.count >= limit { known = ([:], known.new) }
    known.new[path] = match
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
