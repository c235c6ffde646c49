import NIOCore
import ServiceModule

/// Sends parts of open files on an HTTP/1.1 connection without TLS, behind all that was written before.
///
/// It is the pipeline's first handler: what it sends passes by the encoder of HTTP, so it can only be the body of
/// a response whose head says how long that is. A connection whose client does not keep the pace while a part is sent is
/// closed, also where what is left of the part is too little to fill the connection's buffer.
final class HTTP1FileLane: ChannelOutboundHandler, RemovableChannelHandler {
  typealias OutboundIn = IOData
  typealias OutboundOut = IOData

  private let timer: ReaderPaceTimer
  private var context: ChannelHandlerContext?

  /// - Parameter limit: The time in which a client must take enough.
  init(limit: TimeAmount) { timer = ReaderPaceTimer(limit: limit) }

  func handlerAdded(context: ChannelHandlerContext) { self.context = context }

  func handlerRemoved(context: ChannelHandlerContext) {
    self.context = nil
    timer.cancel()
  }

  func send(_ region: FileRegion, _ promise: EventLoopPromise<Void>) {
    guard let context else { return promise.fail(ChannelError.ioOnClosedChannel) }
    timer.start(context, unwritten: ReaderPace.unwrittenBytes(context) + region.readableBytes)
    promise.futureResult.assumeIsolated().whenComplete { _ in self.timer.cancel() }
    context.writeAndFlush(wrapOutboundOut(.fileRegion(region)), promise: promise)
  }
}

/// Passes parts of files to a connection's lane.
struct HTTP1FileWriter: ServiceFileWriter {
  private let lane: NIOLoopBound<HTTP1FileLane>
  private let eventLoop: any EventLoop

  /// On the event loop alone.
  init(_ lane: HTTP1FileLane, _ eventLoop: any EventLoop) {
    self.lane = NIOLoopBound(lane, eventLoop: eventLoop)
    self.eventLoop = eventLoop
  }

  func write(_ part: OpenFilePart) async throws {
    let handle = NIOFileHandle(_deprecatedTakingOwnershipOfDescriptor: part.descriptor)
    let outcome = await send(
      FileRegion(
        fileHandle: handle,
        readerIndex: Int(part.range.lowerBound),
        endIndex: Int(part.range.upperBound)
      )
    )
    // The descriptor is the part's: it stays open.
    _ = try handle.takeDescriptorOwnership()
    withExtendedLifetime(part) {}
    try outcome.get()
  }

  /// Returns when the channel has released the region, also if it was closed before.
  private func send(_ region: FileRegion) async -> Result<Void, any Error> {
    let promise = eventLoop.makePromise(of: Void.self)
    eventLoop.execute { lane.value.send(region, promise) }
    do {
      return .success(try await promise.futureResult.get())
    } catch {
      return .failure(error)
    }
  }
}
