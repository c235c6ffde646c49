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

/// Checks that a client takes enough of a full buffer, in each period that it is given.
struct ReaderPace {
  private var unwritten: Int

  /// Bytes that the client has not taken when the first time begins.
  init(_ unwritten: Int) { self.unwritten = unwritten }

  /// Returns true if it took enough in the period that is over; the next one begins.
  mutating func isKept(with left: Int) -> Bool {
    defer { unwritten = left }
    return unwritten - left >= GatewayConfiguration.unwrittenBytesPerConnection
  }

  /// Returns the number of bytes that the client has not taken; zero if the channel does not say.
  static func unwrittenBytes(_ context: ChannelHandlerContext) -> Int {
    do {
      return try context.channel.syncOptions?.getOption(.bufferedWritableBytes) ?? 0
    } catch {
      return 0
    }
  }
}
