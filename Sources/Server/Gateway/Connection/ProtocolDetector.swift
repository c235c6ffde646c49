import NIOCore

/// Decides a cleartext connection's protocol by its first bytes and makes way for it.
///
/// A client that starts with the HTTP/2 preface gets HTTP/2, any other gets HTTP/1.1. The bytes
/// read so far are replayed to the handlers that `configure` adds.
final class ProtocolDetector: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer

  private static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)

  private let configure: (_ isHTTP2: Bool) throws -> Void
  private let timeout: TimeAmount
  private var received: ByteBuffer?
  private var isDecided = false
  private var timer: Scheduled<Void>?

  /// Closes the connection if nothing decisive came within `timeout`.
  init(timeout: TimeAmount, configure: @escaping (_ isHTTP2: Bool) throws -> Void) {
    self.timeout = timeout
    self.configure = configure
  }

  func handlerAdded(context: ChannelHandlerContext) {
    timer = context.eventLoop.assumeIsolated().scheduleTask(in: timeout) {
      context.close(promise: nil)
    }
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    timer?.cancel()
    guard isDecided, let received else { return }
    self.received = nil
    context.fireChannelRead(wrapInboundOut(received))
    context.fireChannelReadComplete()
  }

  func channelInactive(context: ChannelHandlerContext) {
    timer?.cancel()
    context.fireChannelInactive()
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let bytes = unwrapInboundIn(data)
    if received == nil { received = bytes } else { received?.writeImmutableBuffer(bytes) }
    guard !isDecided, let received, let isHTTP2 = Self.isHTTP2(received) else { return }
    isDecided = true
    do {
      try configure(isHTTP2)
      context.pipeline.syncOperations.removeHandler(self, promise: nil)
    } catch {
      context.close(promise: nil)
    }
  }

  func channelReadComplete(context: ChannelHandlerContext) {
    // There is no handler behind to notify before the replay.
  }

  /// Returns true if those first bytes are the preface; nil while they could still become it.
  private static func isHTTP2(_ bytes: ByteBuffer) -> Bool? {
    let seen = bytes.readableBytesView.prefix(preface.count)
    guard preface.starts(with: seen) else { return false }
    return seen.count == preface.count ? true : nil
  }
}
