import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// Answers on the event loop what memory can, before a request reaches the task that has the others answered.
///
/// A GET without a body is held back until its end, a moment later. It is answered here only where the answers to
/// all requests before it have been written, and while the client reads; all else passes.
final class HTTP1MemoryAnswers: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPRequestPart
  typealias InboundOut = HTTPRequestPart
  typealias OutboundIn = HTTPResponsePart
  typealias OutboundOut = HTTPResponsePart
  typealias Answer = (HTTPRequest) -> (response: HTTPResponse, body: [UInt8])?

  private let answer: Answer
  private var held: HTTPRequest?
  /// Requests that passed and whose answers are not written to their end.
  private var unanswered = 0
  /// Whether the connection ends after a request that passed.
  private var isLastRequestPast = false
  private var hasWritten = false

  init(_ answer: @escaping Answer) { self.answer = answer }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head(let head) where mayAnswer(head, context): held = head
    case .head(let head): pass(head, context)
    case .body:
      passHeld(context)
      context.fireChannelRead(data)
    case .end:
      if let head = held, let (response, body) = answer(head) {
        held = nil
        write(response, body, context)
      } else {
        passHeld(context)
        context.fireChannelRead(data)
      }
    }
  }

  func channelReadComplete(context: ChannelHandlerContext) {
    if hasWritten {
      hasWritten = false
      context.flush()
    }
    context.fireChannelReadComplete()
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    if case .end = unwrapOutboundIn(data) { unanswered -= 1 }
    context.write(data, promise: promise)
  }

  private func mayAnswer(_ head: HTTPRequest, _ context: ChannelHandlerContext) -> Bool {
    head.method == .get && unanswered == 0 && !isLastRequestPast && context.channel.isWritable
      && head.headerFields[.connection]?.lowercased() != "close"
  }

  private func passHeld(_ context: ChannelHandlerContext) {
    guard let head = held else { return }
    held = nil
    pass(head, context)
  }

  private func pass(_ head: HTTPRequest, _ context: ChannelHandlerContext) {
    unanswered += 1
    if head.headerFields[.connection]?.lowercased() == "close" { isLastRequestPast = true }
    context.fireChannelRead(wrapInboundOut(.head(head)))
  }

  private func write(
    _ response: HTTPResponse,
    _ body: [UInt8],
    _ context: ChannelHandlerContext
  ) {
    hasWritten = true
    context.write(wrapOutboundOut(.head(response)), promise: nil)
    if !body.isEmpty {
      context.write(wrapOutboundOut(.body(ByteBuffer(bytes: body))), promise: nil)
    }
    context.write(wrapOutboundOut(.end(nil)), promise: nil)
  }
}

/// Closes an HTTP/1.1 connection that has no request in progress, or one that does not come to its end, for too long.
///
/// Time counts from the last part of a request and from the end of the last answer.
final class HTTP1IdleTimeout: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPRequestPart
  typealias OutboundIn = HTTPResponsePart
  typealias OutboundOut = HTTPResponsePart

  private let limit: TimeAmount
  private var lastActivity: NIODeadline = .now()
  private var isBeingRead = false
  private var unanswered = 0
  private var timer: Scheduled<Void>?

  init(limit: TimeAmount) { self.limit = limit }

  func handlerAdded(context: ChannelHandlerContext) {
    lastActivity = .now()
    watch(context, until: lastActivity + limit)
  }

  func handlerRemoved(context: ChannelHandlerContext) { timer?.cancel() }

  func channelInactive(context: ChannelHandlerContext) {
    timer?.cancel()
    context.fireChannelInactive()
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    lastActivity = .now()
    switch unwrapInboundIn(data) {
    case .head:
      isBeingRead = true
      unanswered += 1
    case .body: break
    case .end: isBeingRead = false
    }
    context.fireChannelRead(data)
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    if case .end = unwrapOutboundIn(data) {
      unanswered -= 1
      lastActivity = .now()
    }
    context.write(data, promise: promise)
  }

  /// One timer at a time, which looks when it fires whether it was due.
  private func watch(_ context: ChannelHandlerContext, until deadline: NIODeadline) {
    timer = context.eventLoop.assumeIsolated().scheduleTask(deadline: deadline) {
      let isAnswering = self.unanswered > 0 && !self.isBeingRead
      let due = (isAnswering ? NIODeadline.now() : self.lastActivity) + self.limit
      if due <= .now() { context.close(promise: nil) } else { self.watch(context, until: due) }
    }
  }
}
