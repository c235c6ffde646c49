import AsyncHTTPClient
import Authentication
import Events
import Foundation
import NIOCore
import NIOPosix
import Testing

@testable import Outbound

/// Servers of others that send a response's head and then take their time.
@Suite(.timeLimit(.minutes(10))) struct SlowBodyTests {
  private static let head = "HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n"

  /// A server on loopback that answers each connection with a head, and then a byte whenever that time has passed.
  private struct SlowServer {
    let channel: any Channel

    init(_ head: String, byteEvery pause: TimeAmount) async throws {
      channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
        .childChannelInitializer { channel in
          channel.eventLoop.makeCompletedFuture {
            try channel.pipeline.syncOperations.addHandler(Dripper(head: head, pause: pause))
          }
        }
        .bind(host: "127.0.0.1", port: 0).get()
    }

    var url: String { "http://127.0.0.1:\(channel.localAddress?.port ?? 0)/" }
  }

  private final class Dripper: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    private let head: String
    private let pause: TimeAmount
    private var drip: RepeatedTask?

    init(head: String, pause: TimeAmount) { (self.head, self.pause) = (head, pause) }

    func channelActive(context: ChannelHandlerContext) {
      context.writeAndFlush(NIOAny(ByteBuffer(string: head)), promise: nil)
      let channel = context.channel
      drip = context.eventLoop.scheduleRepeatedTask(initialDelay: pause, delay: pause) { _ in
        channel.writeAndFlush(ByteBuffer(string: "x"), promise: nil)
      }
    }

    func channelInactive(context: ChannelHandlerContext) { drip?.cancel() }
  }

  @Test func `a document that comes byte by byte is given up in time`() async throws {
    let server = try await SlowServer(Self.head, byteEvery: .milliseconds(10))
    var policy = FetchPolicy(allowsPrivateAddresses: true, allowsCleartextToLoopback: true)
    policy.timeout = .milliseconds(200)
    let fetcher = HTTPSFetcher(policy: policy)
    do {
      _ = try await fetcher.fetch(DocumentRequest(url: server.url))
      Issue.record("the document came")
    } catch let error as OutboundError {
      #expect(error.code == .unreachable)
    }
    try await server.channel.close()
  }

  @Test func `a body that never comes is given up at the deadline`() async throws {
    let server = try await SlowServer(Self.head, byteEvery: .minutes(60))
    let client = HTTPClient(
      eventLoopGroupProvider: .shared(MultiThreadedEventLoopGroup.singleton)
    )
    let response = try await client.execute(
      HTTPClientRequest(url: server.url),
      deadline: .now() + .seconds(50)
    )
    await #expect(throws: HTTPClientError.deadlineExceeded) {
      _ = try await response.body.collect(upTo: 1_000, by: .now() + .milliseconds(20))
    }
    try await client.shutdown()
    try await server.channel.close()
  }

  /// The time limit is long, as a slow machine has to send the head within it.
  @Test(.enabled(if: ProcessInfo.processInfo.environment["BRASA_SLOW_TESTS"] != nil))
  func `an event's status counts though its body never comes`() async throws {
    for (head, isDelivered) in [
      (Self.head, true), (Self.head.replacing("200 OK", with: "500 No"), false),
    ] {
      let server = try await SlowServer(head, byteEvery: .minutes(60))
      let port = server.channel.localAddress?.port ?? 0
      let poster = EventPoster(allowing: ["127.0.0.1:\(port)"]) { _, _ in "" }
      let outcome = await poster.post(
        EventRequest(signature: .http, headers: [], body: []),
        to: server.url,
        project: "p",
        timeoutSeconds: 10
      )
      switch outcome {
      case .delivered: #expect(isDelivered)
      case .failed(let status, _): #expect(!isDelivered && status == 500)
      default: Issue.record("\(outcome)")
      }
      await poster.shutdown()
      try await server.channel.close()
    }
  }
}
