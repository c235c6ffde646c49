import NIOCore

/// Joins the small buffers of one flush into few large ones, so that a batch of answers costs one
/// write to the socket and, with TLS, one record instead of one for each frame.
///
/// Buffers from 16 KiB are passed through. Order is kept; a promise stays with the buffer that it
/// came with. Between flushes it holds no buffer: most connections are idle, and thousands of them
/// would each keep one as large as what they sent last.
final class WriteCoalescer: ChannelOutboundHandler {
  typealias OutboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  private static let largeBytes = 16 << 10
  private static let batchBytes = 64 << 10

  private var batch = ByteBuffer()
  /// How large the last batch was, and the next one is expected to be.
  private var expectedBytes = 0

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    var bytes = unwrapOutboundIn(data)
    if promise != nil || bytes.readableBytes >= Self.largeBytes {
      writeBatch(context)
      context.write(data, promise: promise)
      return
    }
    if batch.capacity == 0 {
      let capacity = max(bytes.readableBytes, expectedBytes)
      batch = context.channel.allocator.buffer(capacity: capacity)
    }
    batch.writeBuffer(&bytes)
    if batch.readableBytes >= Self.batchBytes { writeBatch(context) }
  }

  func flush(context: ChannelHandlerContext) {
    writeBatch(context)
    context.flush()
  }

  func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
    if batch.readableBytes > 0, mode != .input {
      writeBatch(context)
      context.flush()
    }
    context.close(mode: mode, promise: promise)
  }

  private func writeBatch(_ context: ChannelHandlerContext) {
    guard batch.readableBytes > 0 else { return }
    let bytes = batch
    expectedBytes = min(bytes.readableBytes, Self.batchBytes)
    batch = ByteBuffer()
    context.write(wrapOutboundOut(bytes), promise: nil)
  }
}
