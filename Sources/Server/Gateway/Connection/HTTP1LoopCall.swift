import Access
import BaseRuntime
import FirestoreWire
import HTTPTypes
import NIOCore
import ServiceModule
import Synchronization

/// A request that is answered on its connection's event loop as soon as its body has come, without a task.
///
///     collecting -> begun -> answered
///
/// Any thread may give the response; the loop writes it when the call's turn comes, with its other
/// work.
// Sendable: the response has a lock; the event loop alone touches the rest.
final class HTTP1LoopCall: LoopTurn, @unchecked Sendable {
  private let request: ServiceRequest
  private let handling: HTTPRoute.LoopHandling
  /// The page that is to read the response.
  private let origin: String?
  private let answers: MemoryAnswers
  private let mailbox: EventLoopMailbox
  /// Ends with the call.
  private let lease: RequestLease
  private let start = ContinuousClock.now
  /// Bytes of the head and of the body.
  let length: Int
  private let bodyLength: Int
  private var lane: HTTP1MemoryLane?
  private let answer = Mutex<LoopAnswer?>(nil)

  /// A call whose body is to come.
  init(
    _ request: ServiceRequest,
    _ handling: HTTPRoute.LoopHandling,
    head: HTTP1HeadReader.Head,
    origin: String?,
    answers: MemoryAnswers,
    mailbox: EventLoopMailbox,
    lease: RequestLease
  ) {
    self.request = request
    self.handling = handling
    self.origin = origin
    self.answers = answers
    self.mailbox = mailbox
    self.lease = lease
    length = head.length + head.bodyLength
    bodyLength = head.bodyLength
  }

  /// Has the route begin with the request's bytes; false where its other handler has to answer.
  func begin(_ bytes: ByteBuffer, on lane: HTTP1MemoryLane) -> Bool {
    self.lane = lane
    let body = Array(bytes.readableBytesView.suffix(bodyLength))
    do {
      return try handling.handler(request, body) { answer in self.take(answer) }
    } catch {
      // The route's handler throws it again, and reports it.
      return false
    }
  }

  private func take(_ answer: LoopAnswer) {
    let isFirst = self.answer.withLock { known in
      defer { known = known ?? answer }
      return known == nil
    }
    precondition(isFirst, "a request is answered once")
    mailbox.post(self)
  }

  func carryOut() {
    guard let lane, let answer = answer.withLock({ $0 }) else { return }
    lane.finish(self, answer)
  }

  func flush() { lane?.flushAnswers() }

  /// Returns the response's bytes; for a stream, those of the head.
  ///
  /// - Parameter isLast: True if the connection ends with the response.
  func bytes(of answer: LoopAnswer, isLast: Bool, _ allocator: ByteBufferAllocator) -> ByteBuffer {
    switch answer {
    case .response(let response):
      guard case .bytes(let body) = response.body else {
        preconditionFailure("an answer of the event loop is bytes")
      }
      return bytes(response.status, response.headers, body, isLast: isLast, allocator)
    case .failure(let error):
      request.logger.requestFailed(error)
      let status = HTTPResponse.Status(code: error.code.httpStatus)
      let body = RESTError.body(error, streaming: false)
      return bytes(status, Self.json, body, isLast: isLast, allocator)
    case .stream(let headers, _):
      precondition(handling.takesConnection, "a stream takes the connection")
      return bytes(.ok, headers, nil, isLast: true, allocator)
    }
  }

  private static let json: HTTPFields = [.contentType: "application/json; charset=UTF-8"]

  /// The phrases of status codes, which a status made of a code alone lacks.
  private static let phrases: [Int: String] = [
    HTTPResponse.Status.ok, .badRequest, .unauthorized, .forbidden, .notFound, .conflict,
    .contentTooLarge, .tooManyRequests, .internalServerError, .notImplemented, .serviceUnavailable,
    .gatewayTimeout,
  ].reduce(into: [:]) { $0[$1.code] = $1.reasonPhrase }

  private func bytes(
    _ status: HTTPResponse.Status,
    _ headers: HTTPFields,
    _ body: [UInt8]?,
    isLast: Bool,
    _ allocator: ByteBufferAllocator
  ) -> ByteBuffer {
    var headers = headers
    if let origin { CrossOriginAccess.admit(origin, to: &headers) }
    answers.observe(request, status, since: start)
    var bytes = allocator.buffer(capacity: 512 + (body?.count ?? 0))
    let phrase = Self.phrases[status.code] ?? status.reasonPhrase
    bytes.writeLine("HTTP/1.1 ", String(status.code), " ", phrase)
    for field in headers { bytes.writeLine(field.name.rawName, ": ", field.value) }
    if let body {
      bytes.writeLine("Content-Length: ", String(body.count))
    } else {
      bytes.writeLine("Transfer-Encoding: chunked")
    }
    if isLast { bytes.writeLine("Connection: close") }
    bytes.writeLine("x-request-id: ", request.context.requestID)
    bytes.writeLine()
    if let body { bytes.writeBytes(body) }
    return bytes
  }
}

extension MemoryAnswers {
  /// Makes the call of a request whose body is to come; returns nil if its route leaves it to the
  /// handler for larger bodies.
  ///
  /// - Parameter isAlone: True if a response may take the connection.
  func call(
    _ head: HTTPRequest,
    _ found: HTTP1HeadReader.Head,
    isAlone: Bool,
    requestID: String,
    peer: Peer,
    account: LedgerAccount,
    mailbox: EventLoopMailbox
  ) -> HTTP1LoopCall? {
    guard let match = callMatch(head), let handling = match.route.loop,
      found.bodyLength <= handling.bodyLimit, isAlone || !handling.takesConnection,
      let request = request(
        head,
        match,
        requestID: requestID,
        peer: peer,
        account: account,
        actor: CallActor()
      ),
      let lease = RequestLease(
        account,
        bytes: head.approximateBytes + HTTP2Connection.requestBytes + found.bodyLength
      )
    else { return nil }
    return HTTP1LoopCall(
      request,
      handling,
      head: found,
      origin: origin(of: request, match.route),
      answers: self,
      mailbox: mailbox,
      lease: lease
    )
  }
}

extension ByteBuffer {
  /// Writes a line of a head from its parts, which are not put together before.
  fileprivate mutating func writeLine(_ parts: String...) {
    for part in parts { writeString(part) }
    writeStaticString("\r\n")
  }
}
