import NIOCore
import NIOHTTPTypes

/// Closes an HTTP/1.1 connection that has no request in progress, or one that does not come to its end, for too long.
///
/// Time counts from the last part of a request and from the end of the last response.
final class HTTP1IdleTimeout: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPRequestPart
  typealias OutboundIn = HTTPResponsePart
  typealias OutboundOut = HTTPResponsePart

  private let limit: TimeAmount
  private var lastActivity: NIODeadline = .now()
  private var isBeingRead = false
  private var unanswered = 0
  /// True if a request is being served that did not come through here.
  var isAnsweringElsewhere = false
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

  /// A request was answered that did not come here.
  func noteActivity() { lastActivity = .now() }

  /// One timer at a time, which looks when it fires whether it was due.
  private func watch(_ context: ChannelHandlerContext, until deadline: NIODeadline) {
    timer = context.eventLoop.assumeIsolated().scheduleTask(deadline: deadline) {
      let isAnswering =
        self.isAnsweringElsewhere || (self.unanswered > 0 && !self.isBeingRead)
      let due = (isAnswering ? NIODeadline.now() : self.lastActivity) + self.limit
      if due <= .now() { context.close(promise: nil) } else { self.watch(context, until: due) }
    }
  }
}
