import NIOCore
import NIOHTTP2
import Testing

@testable import Gateway

/// Tests of the time that connections may be idle, of their number, and of the notices that end
/// them.
@Suite struct ConnectionLimitTests {
  private static let lastOfAll: [UInt8] = [0x7f, 0xff, 0xff, 0xff]
  private static let noError: [UInt8] = [0, 0, 0, 0]

  @Test func `a stop says NO_ERROR twice, and to streams that cross it too`() async throws {
    var limits = GatewayConfiguration.Limits.test
    limits.drainTimeout = .seconds(3_600)
    try await withGateway(limits: limits) { gateway in
      var reader = try await FrameReader(port: gateway.port)
      let message = RawClient.frame(type: 0, flags: 1, stream: 1, framed([1]))
      let call = RawClient.call("UpdateDocument")
      try await reader.client.send(RawClient.headers(stream: 1, call) + message)
      let held = await gateway.service.nextHeld()
      await gateway.stop()
      var seen = await reader.frames { $0.type == 7 }
      #expect(seen.last?.payload == Self.lastOfAll + Self.noError)
      seen = await reader.frames { $0.type == 7 }
      #expect(seen.last?.payload == [0, 0, 0, 1] + Self.noError)
      // Sent before the client had read either.
      for number in 1...100 {
        let stream = UInt32(1 + 2 * number)
        try await reader.client.send(
          RawClient.headers(stream: stream, RawClient.call("GetDocument"))
            + RawClient.frame(type: 0, flags: 0, stream: stream, [0])
            + RawClient.frame(type: 0, flags: 1, stream: stream, [0])
        )
      }
      seen = await reader.frames { $0.type == 3 && $0.stream == 201 }
      #expect(seen.allSatisfy { $0.type != 7 })
      #expect(seen.last?.payload == [0, 0, 0, 7])
      held.respond(.success([1]))
      seen = await reader.frames { $0.isTrailers && $0.stream == 1 }
      #expect(seen.last?.isTrailers == true)
      #expect(await reader.frames { $0.type == 7 }.allSatisfy { $0.type != 7 })
    }
  }

  @Test func `a connection without a stream is told to go`() async throws {
    var limits = GatewayConfiguration.Limits.test
    limits.idleTimeout = .milliseconds(20)
    try await withGateway(limits: limits) { gateway in
      let client = try await FrameClient.connect(to: gateway.port)
      try await client.call(1, "GetDocument", [1])
      let events = await client.events { _ in false }
      let notices = events.compactMap { event -> HTTP2StreamID? in
        if case .goAway(let last, .noError) = event { last } else { nil }
      }
      #expect(notices == [.maxID, 1])
    }
  }

  @Test func `a connection with a stream stays`() async throws {
    var limits = GatewayConfiguration.Limits.test
    limits.idleTimeout = .milliseconds(1)
    try await withGateway(limits: limits) { gateway in
      let client = try await FrameClient.connect(to: gateway.port)
      try await client.call(1, "UpdateDocument", [1])
      let held = await gateway.service.nextHeld()
      for number in 0..<20 {
        let data = HTTP2PingData(withInteger: UInt64(number))
        try await client.send([HTTP2Frame(streamID: .rootStream, payload: .ping(data, ack: false))])
        let events = await client.events {
          switch $0 {
          case .pong, .goAway: true
          default: false
          }
        }
        guard case .pong? = events.last else {
          Issue.record("the connection was told to go")
          return
        }
      }
      held.respond(.success([1]))
      #expect(await client.answer().status == 0)
    }
  }

  @Test(arguments: ["", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "GET / HTTP/1.1\r\nHost: x\r\n"])
  func `a client that does not come to its first request is closed`(start: String) async throws {
    var limits = GatewayConfiguration.Limits.test
    limits.headTimeout = .milliseconds(50)
    try await withGateway(limits: limits) { gateway in
      let client = try await RawClient.connect(to: gateway.port)
      // On a busy machine the time may be over before this is sent.
      try? await client.send(start)
      _ = await client.receive()
    }
  }

  @Test func `a client that greets and opens no stream is told to go`() async throws {
    var limits = GatewayConfiguration.Limits.test
    limits.headTimeout = .milliseconds(50)
    try await withGateway(limits: limits) { gateway in
      let client = try await RawClient.connect(to: gateway.port)
      // A header block that does not end is no stream.
      let block = RawClient.frame(type: 1, flags: 0, stream: 1, [0x88])
      try? await client.send(RawClient.preface + RawClient.settings + block)
      let frames = RawClient.frames(await client.receive())
      // Nothing is said where the machine was too busy to see the greeting in time.
      #expect(
        frames.isEmpty
          || frames.contains { $0.type == 7 && $0.payload.suffix(4) == Self.noError[...] }
      )
    }
  }

  @Test func `a message that does not come to its end ends its call`() async throws {
    var limits = GatewayConfiguration.Limits.test
    limits.bodyTimeout = .milliseconds(50)
    try await withGateway(limits: limits) { gateway in
      let client = try await FrameClient.connect(to: gateway.port)
      try await client.send([.head(1, "GetDocument"), .data(1, [0, 0, 0])])
      #expect(await client.answer().status == 4)
    }
  }

  @Test func `at the limit a connection that rests makes way`() async throws {
    var limits = GatewayConfiguration.Limits.test
    limits.connections = 2
    try await withGateway(limits: limits) { gateway in
      let busy = try await FrameClient.connect(to: gateway.port)
      try await busy.call(1, "UpdateDocument", [1])
      let held = await gateway.service.nextHeld()
      let idle = try await FrameClient.connect(to: gateway.port)
      try await idle.call(1, "GetDocument", [1])
      #expect(await idle.answer().status == 0)
      for number in 0..<20 {
        let next = try await FrameClient.connect(to: gateway.port)
        try await next.call(1, "GetDocument", [UInt8(number)])
        #expect(await next.answer().messages == [[UInt8(number)]])
      }
      let events = await idle.events { _ in false }
      let codes = events.compactMap { event in
        if case .goAway(_, let code) = event { code } else { nil }
      }
      #expect(codes == [.noError])
      held.respond(.success([1]))
      #expect(await busy.answer().status == 0)
    }
  }

  @Test func `an address that has most connections makes way for others`() async throws {
    var limits = GatewayConfiguration.Limits.test
    limits.connections = 20
    try await withGateway(limits: limits) { gateway in
      // Each has a stream, so none rests.
      let call =
        RawClient.preface + RawClient.settings
        + RawClient.headers(stream: 1, RawClient.call("Listen"))
      var greedy: [RawClient] = []
      for _ in 0..<20 {
        let client = try await RawClient.connect(to: gateway.port, from: "127.0.0.2")
        try await client.send(call)
        greedy.append(client)
        _ = await gateway.service.nextOpened()
      }
      for _ in 0..<5 {
        let other = try await RawClient.connect(to: gateway.port, from: "127.0.0.3")
        try await other.send(call)
        _ = await gateway.service.nextOpened()
      }
      // Nothing more for the greedy one.
      let last = try await RawClient.connect(to: gateway.port, from: "127.0.0.2")
      #expect(await last.receive().isEmpty)
    }
  }
}
