import NIOCore

/// Closes a connection whose client does not keep the pace, from its start to its cancellation; on the event loop alone.
final class ReaderPaceTimer {
  private let limit: TimeAmount
  private var scheduled: Scheduled<Void>?

  /// - Parameter limit: The time in which a client must take enough.
  init(limit: TimeAmount) { self.limit = limit }

  /// - Parameter unwritten: Bytes that the client has not taken when the first time begins.
  func start(_ context: ChannelHandlerContext, unwritten: Int) {
    watch(context, ReaderPace(unwritten))
  }

  func cancel() {
    scheduled?.cancel()
    scheduled = nil
  }

  private func watch(_ context: ChannelHandlerContext, _ pace: ReaderPace) {
    scheduled = context.eventLoop.assumeIsolated().scheduleTask(in: limit) {
      var pace = pace
      guard pace.isKept(with: ReaderPace.unwrittenBytes(context)) else {
        return context.close(promise: nil)
      }
      self.watch(context, pace)
    }
  }
}

/// Whether a client takes enough of a buffer that is full, in each of the times that it is given.
struct ReaderPace {
  private var unwritten: Int

  /// Bytes that the client has not taken when the first time begins.
  init(_ unwritten: Int) { self.unwritten = unwritten }

  /// Whether it took enough in the time that is over; the next one begins.
  mutating func isKept(with left: Int) -> Bool {
    defer { unwritten = left }
    return unwritten - left >= GatewayConfiguration.unwrittenBytesPerConnection
  }

  /// What the client has not taken; none where the channel does not say.
  static func unwrittenBytes(_ context: ChannelHandlerContext) -> Int {
    do {
      return try context.channel.syncOptions?.getOption(.bufferedWritableBytes) ?? 0
    } catch {
      return 0
    }
  }
}
