import NIOCore
import NIOHTTP1

/// Frames the responses of an HTTP/1 connection, and refuses requests whose own end is in doubt.
///
/// The handler sits right behind the codec, where a request still has its version and all its fields as they came. Every
/// response passes here in the order of the requests:
/// - A response to HEAD has no body, even if its route wrote one.
/// - A client of HTTP/1.0 gets no chunks: a response without a length ends with the connection.
/// - The connection ends in steps (RFC 9112, section 9.6): the rest of the last request is read and dropped first, so that a
///   client which still sends gets the response and no reset.
///
/// A reader of requests behind this handler never sees that one is the last: it continues to read
/// the rest of the body.
final class HTTP1Framing: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias InboundOut = HTTPServerRequestPart
  typealias OutboundIn = HTTPServerResponsePart
  typealias OutboundOut = HTTPServerResponsePart

  /// A request whose response is not complete.
  private struct Exchange {
    let isHead: Bool
    let isOldVersion: Bool
    /// True where the connection ends with the response.
    var isLast: Bool

    init(_ head: HTTPRequestHead) {
      isHead = head.method == .HEAD
      isOldVersion = head.version == .http1_0
      isLast = !head.isKeepAlive
    }
  }

  /// The place of the client's next bytes.
  private enum Input {
    /// In the newest request, or at the next one.
    case requests
    /// Behind the last request.
    case past
    /// Not to be understood.
    case unreadable
  }

  /// The connection's way to its end.
  private enum Phase {
    case open
    /// The last response is complete, and its request is not.
    case draining
    /// Nothing is taken or written any more.
    case over
  }

  /// The time that the rest of the last request may take.
  private static let drainLimit = TimeAmount.seconds(30)
  /// The time that a client may take to close a connection after the server has closed its half.
  private static let lingerLimit = TimeAmount.seconds(5)

  /// In the order of the requests.
  private var exchanges = CircularBuffer<Exchange>(initialCapacity: 1)
  private var phase = Phase.open
  private var input = Input.requests
  /// True while the newest request has not come to its end.
  private var isRequestOpen = false
  /// The fault of the request that no handler behind this one sees.
  private var fault: HTTP1Fault?
  private var timer: Scheduled<Void>?

  func handlerRemoved(context: ChannelHandlerContext) { timer?.cancel() }

  func channelInactive(context: ChannelHandlerContext) {
    timer?.cancel()
    context.fireChannelInactive()
  }

  // MARK: Requests

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard input == .requests else { return }
    switch unwrapInboundIn(data) {
    case .head(let head):
      if let fault = HTTP1Fault(of: head) {
        self.fault = fault
        input = .unreadable
        return context.fireErrorCaught(HTTPParserError.invalidHeaderToken)
      }
      isRequestOpen = true
      exchanges.append(Exchange(head))
      context.fireChannelRead(wrapInboundOut(.head(Self.goingOn(head))))
    case .body: context.fireChannelRead(data)
    case .end:
      isRequestOpen = false
      if phase == .draining || exchanges.last?.isLast == true { input = .past }
      context.fireChannelRead(data)
      if phase == .draining { end(context) }
    }
  }

  /// The head without the fields about the connection, and without those that the version does not
  /// know.
  private static func goingOn(_ head: HTTPRequestHead) -> HTTPRequestHead {
    var head = head
    if !head.isKeepAlive { head.headers.remove(name: "connection") }
    if head.version == .http1_0 { head.headers.remove(name: "expect") }
    return head
  }

  func channelReadComplete(context: ChannelHandlerContext) {
    context.fireChannelReadComplete()
    // No handler behind this one requests more once the requests are over.
    if input != .requests { context.read() }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    guard phase != .over else { return }
    if error is HTTPParserError { cannotRead(context) }
    context.fireErrorCaught(error)
  }

  /// The newest request does not reach its end, or the following bytes are not a request.
  private func cannotRead(_ context: ChannelHandlerContext) {
    guard input == .requests else { return }
    input = .unreadable
    guard isRequestOpen else { return }
    if exchanges.isEmpty {
      linger(context)
    } else {
      exchanges[exchanges.index(before: exchanges.endIndex)].isLast = true
    }
  }

  // MARK: Responses

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    guard phase == .open else {
      promise?.succeed()
      return
    }
    guard let exchange = exchanges.first else {
      return refuse(unwrapOutboundIn(data), context, promise)
    }
    switch unwrapOutboundIn(data) {
    case .head(let head) where (100..<200).contains(head.status.code):
      if exchange.isOldVersion {
        promise?.succeed()
      } else {
        context.write(data, promise: promise)
      }
    case .head(let head):
      context.write(wrapOutboundOut(.head(framed(head))), promise: promise)
    case .body:
      if exchange.isHead { promise?.succeed() } else { context.write(data, promise: promise) }
    case .end:
      // The encoder would end the chunks of a body that does not come.
      let end = exchange.isHead ? wrapOutboundOut(.body(.byteBuffer(ByteBuffer()))) : data
      context.write(end, promise: promise)
      exchanges.removeFirst()
      if exchange.isLast { finish(context) }
    }
  }

  /// The head of the first exchange's response, so that its client can tell where the response ends.
  private func framed(_ response: HTTPResponseHead) -> HTTPResponseHead {
    var response = response
    var exchange = exchanges[exchanges.startIndex]
    let tokens = response.headers[canonicalForm: "connection"]
    if tokens.contains(where: { $0.lowercased() == "close" }) { exchange.isLast = true }
    if exchange.isOldVersion {
      response.version = .http1_0
      response.headers.remove(name: "transfer-encoding")
      let hasEnd =
        exchange.isHead || !response.status.mayHaveResponseBody
        || response.headers.contains(name: "content-length")
      if !hasEnd { exchange.isLast = true }
    }
    if exchange.isLast {
      response.headers.replaceOrAdd(name: "connection", value: "close")
    } else if exchange.isOldVersion {
      response.headers.replaceOrAdd(name: "connection", value: "keep-alive")
    }
    exchanges[exchanges.startIndex] = exchange
    return response
  }

  /// Writes the response to input that no handler behind this one sees as a request, in place of a
  /// bare one.
  private func refuse(
    _ part: HTTPServerResponsePart,
    _ context: ChannelHandlerContext,
    _ promise: EventLoopPromise<Void>?
  ) {
    switch part {
    case .head:
      let fault = fault ?? .malformed
      context.write(wrapOutboundOut(.head(fault.head)), promise: promise)
      if !fault.isHead {
        let body = ByteBuffer(bytes: fault.body)
        context.write(wrapOutboundOut(.body(.byteBuffer(body))), promise: nil)
      }
    case .body: promise?.succeed()
    case .end:
      context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer()))), promise: promise)
      linger(context)
    }
  }

  // MARK: The end

  /// The last response is complete: the connection ends when its request is.
  private func finish(_ context: ChannelHandlerContext) {
    if input == .unreadable || !exchanges.isEmpty { return linger(context) }
    guard isRequestOpen else { return end(context) }
    phase = .draining
    timer = context.eventLoop.assumeIsolated().scheduleTask(in: Self.drainLimit) {
      context.channel.cut()
    }
  }

  /// Ends a connection whose client has sent all that it says it would.
  private func end(_ context: ChannelHandlerContext) {
    phase = .over
    timer?.cancel()
    context.channel.closeWhenWritten()
  }

  /// Ends a connection whose client may still send: closes the server's half and drops what comes.
  private func linger(_ context: ChannelHandlerContext) {
    phase = .over
    if input == .requests { input = .past }
    timer?.cancel()
    timer = context.eventLoop.assumeIsolated().scheduleTask(in: Self.lingerLimit) {
      context.channel.cut()
    }
    context.eventLoop.assumeIsolated().execute {
      context.channel.close(mode: .output, promise: nil)
      context.read()
    }
  }
}
