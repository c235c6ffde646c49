import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// Notifies clients that wait for it (`Expect: 100-continue`) to send their body: when a handler
/// begins to read it.
///
/// A request that is answered before that leaves open whether the body comes, so the connection
/// ends with the response. A client that waits and has no bytes to send is notified too: AWS's takes
/// the next response of the connection for this one else.
final class HTTP1Expectation: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPRequestPart
  typealias OutboundIn = HTTPResponsePart
  typealias OutboundOut = HTTPResponsePart

  /// A handler reads the body of the request in progress.
  struct BodyIsWanted: Sendable {}

  private enum State {
    /// The client waits for nothing.
    case none
    case waiting
    /// The client waits, and its body is over without a byte.
    case waitingWithoutBody
    /// The connection ends with the response that is being written.
    case ending
  }

  private var state = State.none

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head(let head):
      if state != .ending { state = head.expectsContinue ? .waiting : .none }
    case .body: if state == .waiting { state = .none }
    case .end: if state == .waiting { state = .waitingWithoutBody }
    }
    context.fireChannelRead(data)
  }

  func triggerUserOutboundEvent(
    context: ChannelHandlerContext,
    event: Any,
    promise: EventLoopPromise<Void>?
  ) {
    guard event is BodyIsWanted else {
      return context.triggerUserOutboundEvent(event, promise: promise)
    }
    promise?.succeed()
    guard state == .waiting else { return }
    state = .none
    context.writeAndFlush(wrapOutboundOut(.head(HTTPResponse(status: .continue))), promise: nil)
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    switch unwrapOutboundIn(data) {
    case .head where state == .waitingWithoutBody:
      state = .none
      context.write(wrapOutboundOut(.head(HTTPResponse(status: .continue))), promise: nil)
      context.write(data, promise: promise)
    case .head(var head) where state == .waiting:
      state = .ending
      head.headerFields[.connection] = "close"
      context.write(wrapOutboundOut(.head(head)), promise: promise)
    case .end where state == .ending:
      context.writeAndFlush(data, promise: promise)
      context.channel.closeWhenWritten()
    default: context.write(data, promise: promise)
    }
  }
}

extension HTTPRequest {
  /// True if the client waits for permission before it sends the body.
  var expectsContinue: Bool {
    headerFields[.expect]?.lowercased() == "100-continue"
  }
}
