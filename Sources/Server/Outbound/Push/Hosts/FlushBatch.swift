import NIOCore

/// Flushes once a turn of the event loop what the turn's requests wrote, so that they share records of TLS and system calls.
///
/// Belongs between TLS and HTTP/2, whose streams flush each part of each request.
final class FlushBatch: ChannelOutboundHandler, RemovableChannelHandler {
  typealias OutboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  /// Nil while nothing is to be flushed.
  private var due: ChannelHandlerContext?

  func flush(context: ChannelHandlerContext) {
    defer { due = context }
    guard due == nil else { return }
    context.eventLoop.assumeIsolated().execute { self.flushNow() }
  }

  func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
    flushNow()
    context.close(mode: mode, promise: promise)
  }

  func handlerRemoved(context: ChannelHandlerContext) { due = nil }

  private func flushNow() {
    due?.flush()
    due = nil
  }
}
