import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// Answers on the event loop what memory can, before a request reaches the decoder of HTTP.
///
/// It follows where requests begin and end. A plain GET without a body is answered here where the answers to all requests
/// before it have been written, and while the client reads; all else passes as it came. After a request that it cannot
/// follow everything passes: nothing that comes then is taken for a request that the decoder does not see as one.
final class HTTP1MemoryLane: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer
  typealias OutboundOut = IOData
  /// The bytes of an answer; nil where the request has to pass.
  typealias Answer = (HTTPRequest, ByteBufferAllocator) -> ByteBuffer?

  /// What the next byte is.
  private enum Position {
    /// The first of a request.
    case start
    /// Of a head that began with those bytes, which have passed, and what was read of them.
    case head(ByteBuffer, HTTP1HeadReader.Beginning)
    /// Of a body, of which that many bytes are to come.
    case body(Int)
    /// Of a request that could not be followed, or behind one.
    case unknown
  }

  private let answer: Answer
  private let idleTimeout: HTTP1IdleTimeout
  private var reader: HTTP1HeadReader
  private var position = Position.start
  /// Requests that passed and whose answers are not written to their end.
  private var unanswered = 0
  private var hasWritten = false

  /// - Parameters:
  ///   - headLimit: What the decoder takes of a head at least.
  ///   - idleTimeout: Is told of requests that do not reach it.
  init(headLimit: Int, idleTimeout: HTTP1IdleTimeout, _ answer: @escaping Answer) {
    reader = HTTP1HeadReader(limit: headLimit)
    self.idleTimeout = idleTimeout
    self.answer = answer
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    var bytes = unwrapInboundIn(data)
    while bytes.readableBytes > 0 {
      switch position {
      case .start: takeRequest(from: &bytes, context)
      case .head(let begun, let beginning): takeHead(begun, beginning, from: &bytes, context)
      case .body(let left):
        let count = min(left, bytes.readableBytes)
        position = count == left ? .start : .body(left - count)
        pass(count, of: &bytes, context)
      case .unknown: pass(bytes.readableBytes, of: &bytes, context)
      }
    }
  }

  func channelReadComplete(context: ChannelHandlerContext) {
    if hasWritten {
      hasWritten = false
      idleTimeout.noteActivity()
      context.flush()
    }
    context.fireChannelReadComplete()
  }

  /// The answer to a request that passed has been written to its end.
  func passedRequestWasAnswered() { unanswered -= 1 }

  private func takeRequest(from bytes: inout ByteBuffer, _ context: ChannelHandlerContext) {
    switch reader.read(bytes) {
    case .head(let head):
      if let request = head.request, unanswered == 0, context.channel.isWritable,
        let answer = answer(request, context.channel.allocator)
      {
        bytes.moveReaderIndex(forwardBy: head.length)
        hasWritten = true
        context.write(wrapOutboundOut(.byteBuffer(answer)), promise: nil)
      } else {
        unanswered += 1
        pass(head, 0, of: &bytes, context)
      }
    case .incomplete(let beginning):
      unanswered += 1
      position = .head(bytes, beginning)
      pass(bytes.readableBytes, of: &bytes, context)
    case .unusual: position = .unknown
    }
  }

  /// Goes on with a head of which the beginning has passed.
  private func takeHead(
    _ begun: consuming ByteBuffer,
    _ beginning: HTTP1HeadReader.Beginning,
    from bytes: inout ByteBuffer,
    _ context: ChannelHandlerContext
  ) {
    let passed = begun.readableBytes
    // Nobody else holds the bytes now, so that those that come do not copy all before them.
    position = .unknown
    begun.writeImmutableBuffer(bytes)
    switch reader.read(begun, after: beginning) {
    case .head(let head): pass(head, passed, of: &bytes, context)
    case .incomplete(let beginning):
      position = .head(begun, beginning)
      pass(bytes.readableBytes, of: &bytes, context)
    case .unusual: position = .unknown
    }
  }

  /// Passes a request on, as far as there is of it; some of it may have passed before.
  private func pass(
    _ head: HTTP1HeadReader.Head,
    _ passed: Int,
    of bytes: inout ByteBuffer,
    _ context: ChannelHandlerContext
  ) {
    let left = head.length - passed + head.bodyLength
    let count = min(left, bytes.readableBytes)
    position = count == left ? .start : .body(left - count)
    pass(count, of: &bytes, context)
  }

  private func pass(_ count: Int, of bytes: inout ByteBuffer, _ context: ChannelHandlerContext) {
    var part = bytes
    // What passes as a whole is not held here beside.
    if count == bytes.readableBytes {
      bytes = ByteBuffer()
    } else {
      part = bytes.readSlice(length: count) ?? ByteBuffer()
    }
    context.fireChannelRead(wrapInboundOut(part))
  }
}

/// Tells a connection's lane of memory which requests that passed it have been answered.
final class HTTP1AnswerWatch: ChannelOutboundHandler, RemovableChannelHandler {
  typealias OutboundIn = HTTPResponsePart
  typealias OutboundOut = HTTPResponsePart

  private let lane: HTTP1MemoryLane

  init(_ lane: HTTP1MemoryLane) { self.lane = lane }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    if case .end = unwrapOutboundIn(data) { lane.passedRequestWasAnswered() }
    context.write(data, promise: promise)
  }
}
