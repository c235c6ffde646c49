import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix

/// The HTTP server of one function, on loopback.
struct FunctionListener: Sendable {
  private typealias ResponsePart = HTTPPart<HTTPResponseHead, ByteBuffer>
  private typealias Connection = NIOAsyncChannel<HTTPServerRequestPart, ResponsePart>
  private typealias Writer = NIOAsyncChannelOutboundWriter<ResponsePart>

  /// The largest body, as at Google.
  private static let bodyLimit = 32 << 20
  private static let callKeyHeader = "x-brasa-call-key"

  private let function: Function
  private let callKey: String?

  /// A server that takes requests with a key alone, where there is one.
  init(_ function: Function, callKey: String?) {
    self.function = function
    self.callKey = callKey
  }

  /// Serves until the task is cancelled.
  func serve(port: Int) async throws {
    let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .serverChannelOption(.backlog, value: 256)
      .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
      .bind(host: "127.0.0.1", port: port) { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.configureHTTPServerPipeline()
          try channel.pipeline.syncOperations.addHandler(ByteBufferParts())
          return try Connection(wrappingChannelSynchronously: channel)
        }
      }
    try await withThrowingDiscardingTaskGroup { group in
      try await listener.executeThenClose { connections in
        for try await connection in connections {
          group.addTask { await serve(connection) }
        }
      }
    }
  }

  private func serve(_ connection: Connection) async {
    do {
      try await connection.executeThenClose { parts, writer in
        var head: HTTPRequestHead?
        var body = Data()
        for try await part in parts {
          switch part {
          case .head(let new): (head, body) = (new, Data())
          case .body(let bytes):
            body.append(contentsOf: bytes.readableBytesView)
            guard body.count <= Self.bodyLimit else { return }
          case .end:
            guard let head else { return }
            try await respond(to: head, body, writer)
            guard head.isKeepAlive else { return }
          }
        }
      }
    } catch {
      // The host went away, with the call.
    }
  }

  private func respond(to head: HTTPRequestHead, _ body: Data, _ writer: Writer) async throws {
    guard callKey == nil || head.headers.first(name: Self.callKeyHeader) == callKey else {
      return try await write(
        .text("Only the server can call this port.", status: 403),
        head,
        writer
      )
    }
    let parts = head.uri.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    let request = HTTPFunctionRequest(
      method: head.method.rawValue,
      path: String(parts.first ?? "/"),
      query: parts.count > 1 ? String(parts[1]) : "",
      headers: head.headers.filter { $0.name.lowercased() != Self.callKeyHeader }
        .map { ($0.name, $0.value) },
      body: body
    )
    guard !function.isEvent || request.method == "POST" else {
      return try await write(.text("Events are posted.", status: 405), head, writer)
    }
    let response: HTTPFunctionResponse
    do {
      response = try await function.respond(request)
    } catch {
      FunctionServer.report(error)
      let known = error as? FunctionError
      response = .text(known?.message ?? "Internal Server Error", status: known?.code.status ?? 500)
    }
    try await write(response, head, writer)
  }

  private func write(
    _ response: HTTPFunctionResponse,
    _ request: HTTPRequestHead,
    _ writer: Writer
  ) async throws {
    var head = HTTPResponseHead(
      version: request.version,
      status: HTTPResponseStatus(statusCode: response.status)
    )
    for (name, value) in response.headers { head.headers.add(name: name, value: value) }
    switch response.body {
    case .bytes(let data):
      if response.status != 204, response.status != 304 {
        head.headers.replaceOrAdd(name: "content-length", value: "\(data.count)")
      }
      try await writer.write(.head(head))
      if !data.isEmpty, request.method != .HEAD {
        try await writer.write(.body(ByteBuffer(bytes: data)))
      }
    case .stream(let body):
      try await writer.write(.head(head))
      try await body { try await writer.write(.body(ByteBuffer(bytes: $0))) }
    }
    try await writer.write(.end(nil))
  }
}

/// Turns parts of responses that can cross threads into those of NIO's encoder.
private final class ByteBufferParts: ChannelOutboundHandler {
  typealias OutboundIn = HTTPPart<HTTPResponseHead, ByteBuffer>
  typealias OutboundOut = HTTPServerResponsePart

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    let part: HTTPServerResponsePart =
      switch unwrapOutboundIn(data) {
      case .head(let head): .head(head)
      case .body(let bytes): .body(.byteBuffer(bytes))
      case .end(let trailers): .end(trailers)
      }
    context.write(wrapOutboundOut(part), promise: promise)
  }
}
