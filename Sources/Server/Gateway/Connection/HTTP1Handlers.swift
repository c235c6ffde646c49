import BaseRuntime
import NIOCore
import NIOHTTPTypes

/// Counts the decoder's memory for a request head in transit.
final class HTTP1HeadMeter: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = ByteBuffer

  private let account: LedgerAccount
  private var bytes = 0
  private var isHeadDue = true

  init(_ account: LedgerAccount) {
    self.account = account
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    if isHeadDue {
      let more = unwrapInboundIn(data).readableBytes
      guard account.reserve(more, for: .request) else { return context.close(promise: nil) }
      bytes += more
    }
    context.fireChannelRead(data)
  }

  func handlerRemoved(context: ChannelHandlerContext) { release() }

  /// The head is complete: the body follows.
  func headArrived() {
    isHeadDue = false
    release()
  }

  /// The request is complete: the next head follows.
  func requestArrived() { isHeadDue = true }

  private func release() {
    account.release(bytes, for: .request)
    bytes = 0
  }
}

/// Watches an HTTP/1.1 connection's requests: closes one whose body does not come to its end in time.
final class HTTP1RequestWatch: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPRequestPart

  private let limit: TimeAmount
  private let streamedBytes: Int
  private let meter: HTTP1HeadMeter
  /// Returns true if the body that is coming may be of any length.
  private let isStream: @Sendable () -> Bool
  private var timer: Scheduled<Void>?
  /// True if a request has begun and not come to its end.
  private var isRequestOpen = false
  /// Body bytes that came since the timer was set.
  private var recentBytes = 0

  init(
    limit: TimeAmount,
    streamedBytes: Int,
    meter: HTTP1HeadMeter,
    isStream: @escaping @Sendable () -> Bool
  ) {
    self.limit = limit
    self.streamedBytes = streamedBytes
    self.meter = meter
    self.isStream = isStream
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head:
      meter.headArrived()
      isRequestOpen = true
    case .body(let bytes): recentBytes += bytes.readableBytes
    case .end:
      meter.requestArrived()
      isRequestOpen = false
      timer?.cancel()
      timer = nil
    }
    context.fireChannelRead(data)
  }

  /// A request that came as a whole needs no timer.
  func channelReadComplete(context: ChannelHandlerContext) {
    if isRequestOpen, timer == nil { watch(context) }
    context.fireChannelReadComplete()
  }

  func channelInactive(context: ChannelHandlerContext) {
    timer?.cancel()
    context.fireChannelInactive()
  }

  private func watch(_ context: ChannelHandlerContext) {
    recentBytes = 0
    timer = context.eventLoop.assumeIsolated().scheduleTask(in: limit) {
      if self.isStream(), self.recentBytes >= self.streamedBytes {
        self.watch(context)
      } else {
        context.close(promise: nil)
      }
    }
  }
}

/// Closes a connection whose client leaves its buffer full, or while others need the memory.
///
/// A buffer of parts of files may be large: the client is waited for while it takes enough of that in the time.
final class StalledReaderTimeout: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPRequestPart

  private let account: LedgerAccount
  private let timer: ReaderPaceTimer
  private var stalledBytes = 0

  init(limit: TimeAmount, account: LedgerAccount) {
    self.account = account
    timer = ReaderPaceTimer(limit: limit)
  }

  func channelWritabilityChanged(context: ChannelHandlerContext) {
    timer.cancel()
    account.release(stalledBytes, for: .response)
    stalledBytes = 0
    if !context.channel.isWritable {
      let bytes = GatewayConfiguration.unwrittenBytesPerConnection
      guard account.reserve(bytes, for: .response) else { return context.close(promise: nil) }
      stalledBytes = bytes
      timer.start(context, unwritten: ReaderPace.unwrittenBytes(context))
    }
    context.fireChannelWritabilityChanged()
  }

  func channelInactive(context: ChannelHandlerContext) {
    timer.cancel()
    account.release(stalledBytes, for: .response)
    stalledBytes = 0
    context.fireChannelInactive()
  }
}
