import NIOCore
import NIOPosix
import NIOSSL

/// A TCP or TLS client that sends and sees bytes.
final class RawClient: Sendable {
  static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)
  /// An empty SETTINGS frame.
  static let settings = frame(type: 4, flags: 0, stream: 0, [])

  let channel: any Channel
  private let chunks: AsyncStream<[UInt8]>

  private init(channel: any Channel, chunks: AsyncStream<[UInt8]>) {
    self.channel = channel
    self.chunks = chunks
  }

  /// Connects, over TLS if it is given a context.
  ///
  /// From that address of this machine, which counts for the server as the client's.
  static func connect(
    to port: Int,
    tls: NIOSSLContext? = nil,
    from address: String = "127.0.0.1"
  ) async throws -> RawClient {
    let (chunks, continuation) = AsyncStream<[UInt8]>.makeStream()
    let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .bind(to: SocketAddress(ipAddress: address, port: 0))
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          if let tls {
            let handler = try NIOSSLClientHandler(context: tls, serverHostname: "localhost")
            try channel.pipeline.syncOperations.addHandler(handler)
          }
          try channel.pipeline.syncOperations.addHandler(ByteCollector(continuation))
        }
      }
      .connect(host: "127.0.0.1", port: port).get()
    return RawClient(channel: channel, chunks: chunks)
  }

  func send(_ bytes: [UInt8]) async throws {
    try await channel.writeAndFlush(ByteBuffer(bytes: bytes))
  }

  func send(_ text: String) async throws {
    try await send(Array(text.utf8))
  }

  /// All bytes until the server closes, or until the predicate is satisfied.
  func receive(until isEnough: ([UInt8]) -> Bool = { _ in false }) async -> [UInt8] {
    var all: [UInt8] = []
    for await chunk in chunks {
      all += chunk
      if isEnough(all) { break }
    }
    return all
  }

  /// One HTTP/1.1 exchange on a connection of its own; head and body of the response as text.
  static func exchange(_ request: String, port: Int) async throws -> String {
    let client = try await connect(to: port)
    try await client.send(request)
    return String(decoding: await client.receive(), as: UTF8.self)
  }

  /// An HTTP/2 frame.
  static func frame(type: UInt8, flags: UInt8, stream: UInt32, _ payload: [UInt8]) -> [UInt8] {
    let length = UInt32(payload.count)
    return [
      UInt8(length >> 16 & 0xff), UInt8(length >> 8 & 0xff), UInt8(length & 0xff), type, flags,
      UInt8(stream >> 24 & 0x7f), UInt8(stream >> 16 & 0xff), UInt8(stream >> 8 & 0xff),
      UInt8(stream & 0xff),
    ] + payload
  }

  /// A HEADERS frame with every field as a literal that is not indexed.
  static func headers(
    stream: UInt32,
    _ fields: [(String, String)],
    endStream: Bool = false
  ) -> [UInt8] {
    let block = fields.flatMap { name, value -> [UInt8] in [0x00] + string(name) + string(value) }
    return frame(type: 1, flags: endStream ? 5 : 4, stream: stream, block)
  }

  /// A text with its length before it, by HPACK's form of numbers with a prefix of seven bits.
  private static func string(_ text: String) -> [UInt8] {
    let count = text.utf8.count
    guard count >= 127 else { return [UInt8(count)] + Array(text.utf8) }
    var length: [UInt8] = [127]
    var rest = count - 127
    while rest >= 128 {
      length.append(UInt8(rest % 128 + 128))
      rest /= 128
    }
    return length + [UInt8(rest)] + Array(text.utf8)
  }

  /// The fields of a gRPC call of that method.
  static func call(_ method: String) -> [(String, String)] {
    [
      (":method", "POST"), (":scheme", "http"),
      (":path", "/google.firestore.v1.Firestore/\(method)"), ("content-type", "application/grpc"),
    ]
  }

  /// The types and streams of the complete frames in those bytes, with the payloads.
  static func frames(_ bytes: [UInt8]) -> [(type: UInt8, stream: UInt32, payload: [UInt8])] {
    var rest = bytes[...]
    var frames: [(type: UInt8, stream: UInt32, payload: [UInt8])] = []
    while rest.count >= 9 {
      let head = Array(rest.prefix(9))
      let length = Int(head[0]) << 16 | Int(head[1]) << 8 | Int(head[2])
      guard rest.count >= 9 + length else { break }
      let stream = head[5...8].reduce(0) { $0 << 8 | UInt32($1) }
      frames.append((head[3], stream, Array(rest.dropFirst(9).prefix(length))))
      rest = rest.dropFirst(9 + length)
    }
    return frames
  }
}

private final class ByteCollector: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer

  private let chunks: AsyncStream<[UInt8]>.Continuation

  init(_ chunks: AsyncStream<[UInt8]>.Continuation) {
    self.chunks = chunks
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    chunks.yield(Array(unwrapInboundIn(data).readableBytesView))
  }

  func channelInactive(context: ChannelHandlerContext) {
    chunks.finish()
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    context.close(promise: nil)
  }
}
