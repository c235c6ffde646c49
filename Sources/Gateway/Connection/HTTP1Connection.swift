import FirestoreService
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTPTypes
import Synchronization

/// An HTTP/1.1 connection: Hummingbird's channel, with time limits and the client's going away.
final class HTTP1Connection: Sendable {
  private struct State {
    var requests = 0
    var current: Cancellation?
    var isStopping = false
  }

  private let environment: ConnectionEnvironment
  private let peer: Peer
  private let number: UInt64
  private let state = Mutex(State())

  init(environment: ConnectionEnvironment, peer: Peer) {
    self.environment = environment
    self.peer = peer
    number = environment.nextConnectionNumber()
  }

  /// Adds the handlers and has the connection's requests answered.
  func start(on channel: any Channel) {
    let limits = environment.limits
    let http1 = HTTP1Channel(
      responder: { request, writer, _ in
        try await self.respond(request, writer)
        if self.state.withLock({ $0.isStopping }) { channel.closeWhenWritten() }
      },
      configuration: HTTP1Channel.Configuration(
        additionalChannelHandlers: [
          HTTP1BodyTimeout(limit: TimeAmount(limits.bodyTimeout)),
          StalledReaderTimeout(limit: TimeAmount(limits.stalledReaderTimeout)),
        ],
        idleTimeout: TimeAmount(limits.headTimeout),
        httpDecoderConfiguration: .init(
          maxHeaderFieldSize: limits.metadataBytes,
          maxHeaderListSize: limits.headerListBytes,
          maxHeaderFieldCount: 256
        )
      )
    )
    channel.closeFuture.whenComplete { _ in self.state.withLock { $0.current }?.cancel() }
    let logger = environment.logger
    let tasks = environment.tasks
    http1.setup(channel: channel, logger: logger).whenSuccess { value in
      tasks.submit { await http1.handle(value: value, logger: logger) }
    }
  }

  /// Has the request in progress, if any, be the last.
  func finish(_ channel: any Channel) {
    let isIdle = state.withLock { state in
      defer { state.isStopping = true }
      return state.current == nil || state.isStopping
    }
    if isIdle { channel.closeWhenWritten() }
  }

  private func respond(_ request: Request, _ writer: consuming ResponseWriter) async throws {
    let cancellation = Cancellation()
    let ordinal = state.withLock { state in
      state.requests += 1
      state.current = cancellation
      return state.requests
    }
    defer { state.withLock { $0.current = nil } }
    var response = await environment.responder.respond(
      to: request,
      requestID: "\(String(number, radix: 36))-\(ordinal)",
      peer: peer,
      cancellation: cancellation
    )
    if state.withLock({ $0.isStopping }) { response.headers[.connection] = "close" }
    try await writer.write(response: response.head, body: response.body)
  }
}

/// Closes an HTTP/1.1 connection whose request body does not come to its end in time.
final class HTTP1BodyTimeout: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPRequestPart

  private let limit: TimeAmount
  private var timer: Scheduled<Void>?

  init(limit: TimeAmount) {
    self.limit = limit
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head:
      timer = context.eventLoop.assumeIsolated().scheduleTask(in: limit) {
        context.close(promise: nil)
      }
    case .body: break
    case .end: timer?.cancel()
    }
    context.fireChannelRead(data)
  }

  func channelInactive(context: ChannelHandlerContext) {
    timer?.cancel()
    context.fireChannelInactive()
  }
}

/// Closes a connection whose client leaves its buffer full for too long.
final class StalledReaderTimeout: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPRequestPart

  private let limit: TimeAmount
  private var timer: Scheduled<Void>?

  init(limit: TimeAmount) {
    self.limit = limit
  }

  func channelWritabilityChanged(context: ChannelHandlerContext) {
    timer?.cancel()
    timer = nil
    if !context.channel.isWritable {
      timer = context.eventLoop.assumeIsolated().scheduleTask(in: limit) {
        context.close(promise: nil)
      }
    }
    context.fireChannelWritabilityChanged()
  }

  func channelInactive(context: ChannelHandlerContext) {
    timer?.cancel()
    context.fireChannelInactive()
  }
}
