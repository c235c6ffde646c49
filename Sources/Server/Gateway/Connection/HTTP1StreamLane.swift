import BaseRuntime
import NIOCore
import ServiceModule
import Synchronization

/// Writes a streamed response, on a connection of HTTP/1.1 that has no other handler for it.
///
/// It has no task, no timer and no buffer while there is nothing to say: ten thousand clients that
/// wait cost ten thousand of these and their sockets. The connection ends with the response; the
/// client's further input is discarded.
// Sendable: whether its turn is due is atomic; the event loop alone touches the rest.
final class HTTP1StreamLane: ChannelInboundHandler, RemovableChannelHandler, LoopTurn, LoopNews,
  @unchecked Sendable
{
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = IOData

  private let stream: any LoopStream
  private let mailbox: EventLoopMailbox
  private let account: LedgerAccount
  private let limit: TimeAmount
  private let whenEnded: () -> Void
  private var context: ChannelHandlerContext?
  /// Closes the connection of a client that leaves its buffer full.
  private var timer: ReaderPaceTimer?
  private let isTurnDue = Atomic<Bool>(false)

  /// - Parameters:
  ///   - limit: The time in which a client must take enough of a full buffer.
  /// - whenEnded: Called on the event loop at the end of the response.
  init(
    _ stream: any LoopStream,
    _ mailbox: EventLoopMailbox,
    _ account: LedgerAccount,
    limit: TimeAmount,
    whenEnded: @escaping () -> Void
  ) {
    self.stream = stream
    self.mailbox = mailbox
    self.account = account
    self.limit = limit
    self.whenEnded = whenEnded
  }

  func handlerAdded(context: ChannelHandlerContext) {
    self.context = context
    stream.begin(self)
    arrived()
  }

  func handlerRemoved(context: ChannelHandlerContext) { end() }

  func channelInactive(context: ChannelHandlerContext) {
    end()
    context.fireChannelInactive()
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    // Nothing that a client sends behind its request is answered.
  }

  func channelWritabilityChanged(context: ChannelHandlerContext) {
    restPace()
    if context.channel.isWritable {
      carryOut()
      context.flush()
    } else {
      let bytes = GatewayConfiguration.unwrittenBytesPerConnection
      guard account.reserve(bytes, for: .response) else { return context.close(promise: nil) }
      let timer = ReaderPaceTimer(limit: limit)
      timer.start(context, unwritten: ReaderPace.unwrittenBytes(context))
      self.timer = timer
    }
    context.fireChannelWritabilityChanged()
  }

  func arrived() {
    let isDue = isTurnDue.exchange(true, ordering: .acquiringAndReleasing)
    if !isDue { mailbox.post(self) }
  }

  func carryOut() {
    isTurnDue.store(false, ordering: .sequentiallyConsistent)
    while let context, context.channel.isWritable {
      switch stream.next() {
      case .bytes(let bytes): write(bytes, context)
      case .nothing: return
      case .end:
        end()
        let last = ByteBuffer(string: "0\r\n\r\n")
        context.writeAndFlush(wrapOutboundOut(.byteBuffer(last)), promise: nil)
        context.channel.closeWhenWritten()
      }
    }
  }

  func flush() { context?.flush() }

  private func write(_ bytes: [UInt8], _ context: ChannelHandlerContext) {
    // A chunk without bytes would be the last.
    guard !bytes.isEmpty else { return }
    var chunk = context.channel.allocator.buffer(capacity: bytes.count + 20)
    chunk.writeString(String(bytes.count, radix: 16))
    chunk.writeStaticString("\r\n")
    chunk.writeBytes(bytes)
    chunk.writeStaticString("\r\n")
    context.write(wrapOutboundOut(.byteBuffer(chunk)), promise: nil)
  }

  private func end() {
    guard context != nil else { return }
    restPace()
    context = nil
    stream.end()
    whenEnded()
  }

  private func restPace() {
    guard let timer else { return }
    timer.cancel()
    self.timer = nil
    account.release(GatewayConfiguration.unwrittenBytesPerConnection, for: .response)
  }
}
