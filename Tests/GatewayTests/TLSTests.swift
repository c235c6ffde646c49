import NIOCore
import NIOHTTP2
import NIOPosix
import NIOSSL
import NIOTLS
import Testing

@testable import Gateway

@Suite struct TLSTests {
  @Test func `ALPN chooses HTTP/2 for gRPC`() async throws {
    let certificate = try TestCertificate()
    try await withGateway(tls: certificate.files) { gateway in
      let client = try await FrameClient.connect(
        to: gateway.port,
        tls: certificate.clientContext(protocols: ["h2"])
      )
      try await client.call(1, "GetDocument", [1, 2, 3])
      #expect(await client.answer().messages == [[1, 2, 3]])
      #expect(gateway.service.contexts.first?.isSecure == true)
    }
  }

  @Test(arguments: [
    (["h2", "http/1.1"], "h2"), (["http/1.1"], "http/1.1"), ([], nil),
  ])
  func `the server picks among what a client offers`(
    offered: [String],
    agreed: String?
  ) async throws {
    let certificate = try TestCertificate()
    try await withGateway(tls: certificate.files) { gateway in
      let context = try certificate.clientContext(protocols: offered)
      #expect(try await handshake(gateway.port, context) == agreed)
    }
  }

  @Test func `cleartext on a TLS port is refused`() async throws {
    let certificate = try TestCertificate()
    try await withGateway(tls: certificate.files) { gateway in
      let answer = try await RawClient.exchange(
        "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n",
        port: gateway.port
      )
      #expect(!answer.contains("200"))
    }
  }

  @Test func `a reload serves the new certificate and keeps open connections`() async throws {
    var certificate = try TestCertificate()
    let old = try certificate.clientContext(protocols: ["h2"])
    try await withGateway(tls: certificate.files) { gateway in
      let open = try await FrameClient.connect(to: gateway.port, tls: old)
      try await open.call(1, "GetDocument", [1])
      #expect(await open.answer().status == 0)

      try certificate.renew()
      try gateway.gateway.reloadCertificates()
      let new = try certificate.clientContext(protocols: ["h2"])
      #expect(try await handshake(gateway.port, new) == "h2")
      await #expect(throws: (any Error).self) { try await handshake(gateway.port, old) }
      try await open.call(3, "GetDocument", [1])
      #expect(await open.answer(3).status == 0)

      try certificate.spoil()
      #expect(throws: (any Error).self) { try gateway.gateway.reloadCertificates() }
      #expect(try await handshake(gateway.port, new) == "h2")
    }
  }

  @Test func `missing certificate files stop the start`() {
    #expect(throws: (any Error).self) {
      try CertificateStore(
        .init(certificate: "/nowhere/a.pem", key: "/nowhere/b.pem"),
        shutdownTimeout: .seconds(5)
      )
    }
  }

  @Test(arguments: ["http/1.1", "h2"])
  func `a stop does not wait for clients that rest and read nothing`(
    version: String
  ) async throws {
    let certificate = try TestCertificate()
    let context = try certificate.clientContext(protocols: [version])
    var limits = GatewayConfiguration.Limits.test
    // Whoever waited for either would wait for longer than any test may take.
    limits.farewellTimeout = .seconds(3_600)
    limits.drainTimeout = .seconds(3_600)
    let resting = try await withGateway(tls: certificate.files, limits: limits) { gateway in
      let channel: any Channel
      if version == "h2" {
        let client = try await FrameClient.connect(to: gateway.port, tls: context)
        try await client.call(1, "GetDocument", [1])
        #expect(await client.answer().status == 0)
        channel = client.channel
      } else {
        let client = try await RawClient.connect(to: gateway.port, tls: context)
        try await client.send("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
        let answer = await client.receive { $0.suffix(3) == Array("ok\n".utf8) }
        #expect(String(decoding: answer, as: UTF8.self).hasPrefix("HTTP/1.1 200"))
        channel = client.channel
      }
      try await channel.setOption(.autoRead, value: false).get()
      return channel
    }
    try? await resting.close()
  }

  @Test func `a call that does not end is cut off after the drain, over TLS too`() async throws {
    let certificate = try TestCertificate()
    var limits = GatewayConfiguration.Limits.test
    limits.farewellTimeout = .seconds(3_600)
    let (held, channel) = try await withGateway(tls: certificate.files, limits: limits) { gateway in
      let client = try await FrameClient.connect(
        to: gateway.port,
        tls: certificate.clientContext(protocols: ["h2"])
      )
      try await client.call(1, "UpdateDocument", [])
      let held = await gateway.service.nextHeld()
      try await client.channel.setOption(.autoRead, value: false).get()
      return (held, client.channel)
    }
    #expect(held.context.cancellation.isCancelled)
    try? await channel.close()
  }

  /// Shakes hands and returns the protocol that both agreed on.
  private func handshake(_ port: Int, _ context: NIOSSLContext) async throws -> String? {
    let promise = MultiThreadedEventLoopGroup.singleton.next().makePromise(of: String?.self)
    let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandlers([
            NIOSSLClientHandler(context: context, serverHostname: "localhost"),
            HandshakeObserver(promise),
          ])
        }
      }
      .connect(host: "127.0.0.1", port: port).get()
    let result = await Result { try await promise.futureResult.get() }
    try? await channel.close()
    return try result.get()
  }
}

extension Result where Failure == any Error {
  fileprivate init(_ body: () async throws -> Success) async {
    do { self = .success(try await body()) } catch { self = .failure(error) }
  }
}

/// Completes its promise with the outcome of the handshake.
private final class HandshakeObserver: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer

  private var promise: EventLoopPromise<String?>?

  init(_ promise: EventLoopPromise<String?>) {
    self.promise = promise
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if case .handshakeCompleted(let agreed) = event as? TLSUserEvent {
      promise?.succeed(agreed)
      promise = nil
    }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    promise?.fail(error)
    promise = nil
    context.close(promise: nil)
  }

  func channelInactive(context: ChannelHandlerContext) {
    promise?.fail(ChannelError.ioOnClosedChannel)
    promise = nil
  }
}
