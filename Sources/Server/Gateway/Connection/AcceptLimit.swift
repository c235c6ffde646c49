import Logging
import NIOCore

/// Keeps a listener from taking more connections than the process has file descriptors for.
///
/// It stops accepting while too many of its connections are open or closing, and for a moment after
/// a failed attempt. So their number is bounded even while the event loops are behind. Further
/// clients wait in the system's queue. Belongs to one listener and its event loop.
final class AcceptLimit: ChannelDuplexHandler {
  typealias InboundIn = any Channel
  typealias OutboundIn = Never

  /// Connections beyond the limit that are being refused at the same time.
  static let refusals = 32
  /// After a failed attempt: descriptors come back when other connections close.
  private static let pause = TimeAmount.milliseconds(250)
  private static let failuresALogLine = 40

  private let most: Int
  private let logger: Logger
  private var open = 0
  private var isHeld = false
  private var failures = 0

  /// Accepts until that many connections are open, and a few more that one look at the queue may bring.
  init(most: Int, logger: Logger) {
    self.most = most
    self.logger = logger
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    open += 1
    failures = 0
    let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
    unwrapInboundIn(data).closeFuture.hop(to: context.eventLoop).whenComplete { _ in
      let (handler, context) = bound.value
      handler.closed(context)
    }
    context.fireChannelRead(data)
  }

  func read(context: ChannelHandlerContext) {
    guard open < most else {
      isHeld = true
      return
    }
    context.read()
  }

  /// Without descriptors the listener stays readable: it would be looked at again at once, forever.
  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    guard error is IOError else { return context.fireErrorCaught(error) }
    if failures % Self.failuresALogLine == 0 {
      logger.warning("a connection could not be accepted", metadata: ["error": "\(error)"])
    }
    failures += 1
    setAccepting(false, context)
    context.eventLoop.assumeIsolated().scheduleTask(in: Self.pause) {
      self.setAccepting(true, context)
    }
  }

  private func setAccepting(_ isAccepting: Bool, _ context: ChannelHandlerContext) {
    // A listener that was closed in the meantime accepts no options, and needs none.
    try? context.channel.syncOptions?.setOption(.autoRead, value: isAccepting)
  }

  private func closed(_ context: ChannelHandlerContext) {
    open -= 1
    guard isHeld, open < most, context.channel.isActive else { return }
    isHeld = false
    context.read()
  }
}
