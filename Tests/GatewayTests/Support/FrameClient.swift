import NIOCore
import NIOHPACK
import NIOHTTP2
import NIOPosix
import NIOSSL

/// An HTTP/2 client that sends and sees single frames.
///
/// It never widens its windows by itself: a test says when it reads on.
final class FrameClient: Sendable {
  /// An event on the connection.
  enum Event: Sendable {
    case headers(HTTP2StreamID, HPACKHeaders, endStream: Bool)
    case data(HTTP2StreamID, [UInt8], endStream: Bool)
    case reset(HTTP2StreamID, HTTP2ErrorCode)
    case goAway(HTTP2StreamID, HTTP2ErrorCode)
    case pong(HTTP2PingData)
    case closed
  }

  /// A complete response on one stream.
  struct Answer: Sendable {
    var headers = HPACKHeaders()
    var data: [UInt8] = []
    var trailers = HPACKHeaders()
    var reset: HTTP2ErrorCode?

    /// The gRPC status, of the trailers or of trailers only.
    var status: Int? {
      (trailers.first(name: "grpc-status") ?? headers.first(name: "grpc-status")).flatMap(Int.init)
    }

    var message: String? {
      trailers.first(name: "grpc-message") ?? headers.first(name: "grpc-message")
    }

    /// The messages in `data`.
    var messages: [[UInt8]] {
      var rest = data[...]
      var messages: [[UInt8]] = []
      while rest.count >= 5 {
        let length = rest.dropFirst().prefix(4).reduce(0) { $0 << 8 | Int($1) }
        messages.append(Array(rest.dropFirst(5).prefix(length)))
        rest = rest.dropFirst(5 + length)
      }
      return messages
    }
  }

  let channel: any Channel
  /// The number of times that the socket delivered something.
  let reads: Counter
  private let events: AsyncStream<Event>

  private init(channel: any Channel, events: AsyncStream<Event>, reads: Counter) {
    self.channel = channel
    self.events = events
    self.reads = reads
  }

  /// Connects by prior knowledge, or over TLS with ALPN.
  static func connect(
    to port: Int,
    tls: NIOSSLContext? = nil,
    settings: HTTP2Settings = [HTTP2Setting(parameter: .maxConcurrentStreams, value: 100)]
  ) async throws -> FrameClient {
    let (events, continuation) = AsyncStream<Event>.makeStream()
    let reads = Counter()
    let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          if let tls {
            let handler = try NIOSSLClientHandler(context: tls, serverHostname: "localhost")
            try channel.pipeline.syncOperations.addHandler(handler)
          }
          var configuration = NIOHTTP2Handler.ConnectionConfiguration()
          configuration.initialSettings = settings
          configuration.headerBlockValidation = .disabled
          configuration.controlFrameRateLimit.maximumCount = 10_000
          try channel.pipeline.syncOperations.addHandlers([
            NIOHTTP2Handler(mode: .client, connectionConfiguration: configuration),
            FrameCollector(continuation, reads: reads),
          ])
        }
      }
      .connect(host: "127.0.0.1", port: port).get()
    return FrameClient(channel: channel, events: events, reads: reads)
  }

  /// Sends frames in one flush.
  func send(_ frames: [HTTP2Frame]) async throws {
    let batch = NIOLoopBoundBatch(frames)
    try await channel.eventLoop.submit { [channel] in
      for frame in batch.frames { channel.write(frame, promise: nil) }
      channel.flush()
    }
    .get()
  }

  /// Sends a complete gRPC call.
  func call(
    _ stream: HTTP2StreamID,
    _ method: String,
    _ message: [UInt8],
    headers: [(String, String)] = []
  ) async throws {
    try await send([
      .head(stream, method, headers: headers),
      .data(stream, framed(message), endStream: true),
    ])
  }

  /// The next events until the predicate says that one is the last; includes it.
  func events(until isLast: (Event) -> Bool) async -> [Event] {
    var seen: [Event] = []
    for await event in events {
      seen.append(event)
      if isLast(event) { break }
      if case .closed = event { break }
    }
    return seen
  }

  /// Everything on those streams until all have ended.
  func answers(_ streams: [HTTP2StreamID]) async -> [HTTP2StreamID: Answer] {
    var answers: [HTTP2StreamID: Answer] = [:]
    var open = Set(streams)
    guard !open.isEmpty else { return answers }
    for await event in events {
      switch event {
      case .headers(let id, let headers, let isLast):
        if answers[id] == nil {
          answers[id] = Answer(headers: headers)
        } else {
          answers[id]?.trailers = headers
        }
        if isLast { open.remove(id) }
      case .data(let id, let bytes, let isLast):
        answers[id]?.data += bytes
        if isLast { open.remove(id) }
      case .reset(let id, let code):
        answers[id, default: Answer()].reset = code
        open.remove(id)
      case .closed: return answers
      case .goAway, .pong: continue
      }
      if open.isEmpty { break }
    }
    return answers
  }

  /// Everything on that stream until it ends.
  func answer(_ stream: HTTP2StreamID = 1) async -> Answer {
    await answers([stream])[stream] ?? Answer()
  }

  /// Closes the connection without a word.
  func close() async throws {
    try await channel.close()
  }
}

/// Frames on their way to the event loop.
// Sendable: made by one task, read once by the loop, never at the same time.
private struct NIOLoopBoundBatch: @unchecked Sendable {
  let frames: [HTTP2Frame]

  init(_ frames: [HTTP2Frame]) { self.frames = frames }
}

/// Turns inbound frames into events.
private final class FrameCollector: ChannelInboundHandler {
  typealias InboundIn = HTTP2Frame

  private let events: AsyncStream<FrameClient.Event>.Continuation

  private let reads: Counter

  init(_ events: AsyncStream<FrameClient.Event>.Continuation, reads: Counter) {
    self.events = events
    self.reads = reads
  }

  func channelReadComplete(context: ChannelHandlerContext) {
    reads.add(1)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let frame = unwrapInboundIn(data)
    switch frame.payload {
    case .headers(let payload):
      events.yield(.headers(frame.streamID, payload.headers, endStream: payload.endStream))
    case .data(let payload):
      guard case .byteBuffer(let buffer) = payload.data else { return }
      let bytes = Array(buffer.readableBytesView)
      events.yield(.data(frame.streamID, bytes, endStream: payload.endStream))
    case .rstStream(let code): events.yield(.reset(frame.streamID, code))
    case .goAway(let last, let code, _): events.yield(.goAway(last, code))
    case .ping(let data, ack: true): events.yield(.pong(data))
    default: return
    }
  }

  func channelInactive(context: ChannelHandlerContext) {
    events.yield(.closed)
    events.finish()
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    if error is NIOHTTP2Errors.StreamError { return }
    context.close(promise: nil)
  }
}

/// A gRPC message with its prefix.
func framed(_ message: [UInt8]) -> [UInt8] {
  let length = UInt32(message.count)
  return [0] + (0..<4).map { UInt8(truncatingIfNeeded: length >> (24 - 8 * $0)) } + message
}

extension HTTP2Frame {
  /// The head of a gRPC call.
  static func head(
    _ stream: HTTP2StreamID,
    _ method: String,
    headers: [(String, String)] = [],
    endStream: Bool = false
  ) -> HTTP2Frame {
    let path = method.hasPrefix("/") ? method : "/google.firestore.v1.Firestore/\(method)"
    let block = HPACKHeaders(
      [
        (":method", "POST"), (":scheme", "http"), (":path", path), (":authority", "localhost"),
        ("content-type", "application/grpc"), ("te", "trailers"),
      ] + headers
    )
    return HTTP2Frame(
      streamID: stream,
      payload: .headers(HTTP2Frame.FramePayload.Headers(headers: block, endStream: endStream))
    )
  }

  /// The head of an HTTP request.
  static func request(
    _ stream: HTTP2StreamID,
    _ method: String,
    _ path: String,
    headers: [(String, String)] = [],
    endStream: Bool = false
  ) -> HTTP2Frame {
    let block = HPACKHeaders(
      [
        (":method", method), (":scheme", "http"), (":path", path), (":authority", "localhost"),
      ] + headers
    )
    return HTTP2Frame(
      streamID: stream,
      payload: .headers(HTTP2Frame.FramePayload.Headers(headers: block, endStream: endStream))
    )
  }

  /// A part of a request's body.
  static func data(
    _ stream: HTTP2StreamID,
    _ bytes: [UInt8],
    endStream: Bool = false
  ) -> HTTP2Frame {
    HTTP2Frame(
      streamID: stream,
      payload: .data(
        HTTP2Frame.FramePayload.Data(
          data: .byteBuffer(ByteBuffer(bytes: bytes)),
          endStream: endStream
        )
      )
    )
  }

  /// Lets the server send that many bytes more.
  static func window(_ stream: HTTP2StreamID, _ bytes: Int) -> HTTP2Frame {
    HTTP2Frame(streamID: stream, payload: .windowUpdate(windowSizeIncrement: bytes))
  }

  /// Gives the stream up.
  static func reset(_ stream: HTTP2StreamID) -> HTTP2Frame {
    HTTP2Frame(streamID: stream, payload: .rstStream(.cancel))
  }
}
