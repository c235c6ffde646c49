import NIOCore
import NIOHPACK
import NIOHTTP2
import NIOPosix
import NIOSSL
import Synchronization

/// A server of HTTP/2 over TLS on a port of this machine that does with each request what it is told.
///
/// The first request of a connection that is answered with 200 lets the connection have more streams than the first
/// settings did, as Apple's service does; the settings come before the response.
package final class StandInServer: Sendable {
  /// The number of streams that a connection may have before and after its first success.
  package struct StreamLimits: Sendable {
    package var first: Int
    package var then: Int

    /// Limits of those numbers.
    package init(first: Int = 1, then: Int = 1_000) {
      self.first = first
      self.then = then
    }
  }

  typealias Handler = @Sendable (StandInRequest) -> StandInReply

  /// The port on which it listens.
  package let port: Int
  private let channel: any Channel

  /// Listens on `port`, 0 for one of the kernel's choice.
  init(
    certificate: StandInCertificate,
    limits: StreamLimits,
    port: Int = 0,
    group: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton,
    handler: @escaping Handler
  ) async throws {
    let context = try certificate.serverContext()
    let count = Mutex(0)
    let bootstrap = ServerBootstrap(group: group)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .serverChannelOption(.backlog, value: 256)
      .childChannelInitializer { channel in
        let number = count.withLock { count in
          count += 1
          return count
        }
        return channel.eventLoop.makeCompletedFuture {
          try Self.configure(channel, context, limits, number, handler)
        }
      }
    channel = try await bootstrap.bind(host: "127.0.0.1", port: port).get()
    guard let port = channel.localAddress?.port else { throw ChannelError.unknownLocalAddress }
    self.port = port
  }

  /// The URL of the server without a path.
  package var url: String { "https://localhost:\(port)" }

  /// Listens no more; connections stay.
  package func stop() async throws { try await channel.close() }

  private static func configure(
    _ channel: any Channel,
    _ context: NIOSSLContext,
    _ limits: StreamLimits,
    _ number: Int,
    _ handler: @escaping Handler
  ) throws {
    let pipeline = channel.pipeline.syncOperations
    try pipeline.addHandler(NIOSSLServerHandler(context: context))
    var connection = NIOHTTP2Handler.ConnectionConfiguration()
    connection.initialSettings = [
      HTTP2Setting(parameter: .maxConcurrentStreams, value: limits.first),
      HTTP2Setting(parameter: .maxHeaderListSize, value: 16_384),
    ]
    let later = Mutex<Int?>(limits.then == limits.first ? nil : limits.then)
    _ = try pipeline.configureHTTP2Pipeline(
      mode: .server,
      connectionConfiguration: connection,
      streamConfiguration: NIOHTTP2Handler.StreamConfiguration()
    ) { stream in
      stream.eventLoop.makeCompletedFuture {
        let handler = StandInStream(number, connection: channel, handler: handler) {
          later.withLock { limit in
            defer { limit = nil }
            return limit
          }
        }
        try stream.pipeline.syncOperations.addHandler(handler)
      }
    }
  }
}

/// One request of a connection.
private final class StandInStream: ChannelInboundHandler {
  typealias InboundIn = HTTP2Frame.FramePayload
  typealias OutboundOut = HTTP2Frame.FramePayload

  private let number: Int
  private let connection: any Channel
  private let handler: StandInServer.Handler
  /// The limit of streams that is to be announced; once.
  private let nextLimit: @Sendable () -> Int?
  private var headers = HPACKHeaders()
  private var body: [UInt8] = []

  init(
    _ number: Int,
    connection: any Channel,
    handler: @escaping StandInServer.Handler,
    nextLimit: @escaping @Sendable () -> Int?
  ) {
    self.number = number
    self.connection = connection
    self.handler = handler
    self.nextLimit = nextLimit
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .headers(let payload):
      headers = payload.headers
      if payload.endStream { perform(context) }
    case .data(let payload):
      if case .byteBuffer(let buffer) = payload.data { body += Array(buffer: buffer) }
      if payload.endStream { perform(context) }
    default: break
    }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    context.close(promise: nil)
  }

  private func perform(_ context: ChannelHandlerContext) {
    let fields = headers.filter { !$0.name.hasPrefix(":") }.map { ($0.name, $0.value) }
    let request = StandInRequest(
      method: headers.first(name: ":method") ?? "",
      path: headers.first(name: ":path") ?? "",
      headers: Dictionary(fields) { first, _ in first },
      body: body,
      connection: number
    )
    switch handler(request) {
    case .answer(let status, let headers, let body):
      answer(status, headers, body, context)
    case .silence: break
    case .cut: connection.close(mode: .all, promise: nil)
    case .goAway(let reason): goAway(reason, context)
    }
  }

  private func answer(
    _ status: Int,
    _ headers: [String: String],
    _ body: String,
    _ context: ChannelHandlerContext
  ) {
    if status == 200, let limit = nextLimit() {
      let settings = [HTTP2Setting(parameter: .maxConcurrentStreams, value: limit)]
      connection.write(
        HTTP2Frame(streamID: .rootStream, payload: .settings(.settings(settings))),
        promise: nil
      )
    }
    var fields = HPACKHeaders([(":status", "\(status)")])
    for (name, value) in headers { fields.add(name: name, value: value) }
    let isEmpty = body.isEmpty
    context.write(
      wrapOutboundOut(.headers(.init(headers: fields, endStream: isEmpty))),
      promise: nil
    )
    if !isEmpty {
      let buffer = context.channel.allocator.buffer(string: body)
      context.write(
        wrapOutboundOut(.data(.init(data: .byteBuffer(buffer), endStream: true))),
        promise: nil
      )
    }
    context.flush()
  }

  private func goAway(_ reason: String, _ context: ChannelHandlerContext) {
    let stream = streamID(context)
    let text = context.channel.allocator.buffer(string: #"{"reason":"\#(reason)"}"#)
    let frame = HTTP2Frame(
      streamID: .rootStream,
      payload: .goAway(
        lastStreamID: HTTP2StreamID(max(0, stream - 2)),
        errorCode: .noError,
        opaqueData: text
      )
    )
    let connection = connection
    connection.writeAndFlush(frame).whenComplete { _ in
      connection.close(mode: .all, promise: nil)
    }
  }

  private func streamID(_ context: ChannelHandlerContext) -> Int {
    let id = try? context.channel.syncOptions?.getOption(HTTP2StreamChannelOptions.streamID)
    return id.map(Int.init) ?? 1
  }
}
