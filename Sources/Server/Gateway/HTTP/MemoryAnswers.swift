import Access
import HTTPTypes
import KeyValueStore
import Logging
import NIOCore
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

  /// The bytes of the answer to a GET without a body; nil where the responder has to answer.
  func answer(
    _ head: HTTPRequest,
    requestID: String,
    peer: Peer,
    account: LedgerAccount,
    allocator: ByteBufferAllocator
  ) -> ByteBuffer? {
    // A whole URL for a target is the responder's.
    guard let target = head.path, target.utf8.first == UInt8(ascii: "/") else { return nil }
    let path = String(Substring(target.utf8.prefix { $0 != UInt8(ascii: "?") }))
    guard let match = routes.match(.get, path), let handler = match.route.memoryHandler,
      let isForeignPage = isForeignPage(head)
    else { return nil }
    let start = ContinuousClock.now
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
    guard let answer = try? handler(call) else { return nil }
    let origin = match.route.decidesOrigins ? nil : head.headerFields[.origin]
    observation.observe(head, path, answer.head.status, since: start, logger(requestID))
    return bytes(answer, requestID, origin, allocator)
  }

  private func logger(_ requestID: String) -> Logger {
    // What is not written needs no name.
    guard logger.logLevel <= .debug else { return logger }
    var logger = logger
    logger[metadataKey: "request"] = "\(requestID)"
    return logger
  }

  /// - Parameter origin: Of the page that is to read the answer.
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

  /// What is written of headers beside those of the answer and the id's value.
  private static let ownHeaderBytes = "x-request-id: \r\n\r\n".utf8.count

  /// Whether a page sent the request that is a client's alone; nil where it is refused.
  private func isForeignPage(_ head: HTTPRequest) -> Bool? {
    guard let origins else { return false }
    switch origins.verdict(on: head, to: routes) {
    case .admitted: return false
    case .admittedAsClient: return true
    case .unknownHost, .foreignPage: return nil
    }
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
