import NIOCore
import NIOHTTP2
import Testing

@testable import Gateway

@Suite struct HTTP2ConnectionTests {
  @Test func `pings are answered, however many`() async throws {
    try await withGateway { gateway in
      let client = try await FrameClient.connect(to: gateway.port)
      for number in 0..<500 {
        let data = HTTP2PingData(withInteger: UInt64(number))
        try await client.send([HTTP2Frame(streamID: .rootStream, payload: .ping(data, ack: false))])
        let events = await client.events { if case .pong = $0 { true } else { false } }
        guard case .pong(let answered)? = events.last else {
          Issue.record("ping \(number) was punished")
          return
        }
        #expect(answered == data)
      }
    }
  }

  @Test func `a flood of resets ends the connection`() async throws {
    var limits = GatewayConfiguration.Limits.test
    limits.resetsPerTenSeconds = 50
    try await withGateway(limits: limits) { gateway in
      let client = try await FrameClient.connect(to: gateway.port)
      let frames = (0..<100).flatMap { number -> [HTTP2Frame] in
        let stream = HTTP2StreamID(1 + 2 * number)
        return [.head(stream, "GetDocument"), .reset(stream)]
      }
      try await client.send(frames)
      let events = await client.events { _ in false }
      let codes = events.compactMap { event in
        if case .goAway(_, let code) = event { code } else { nil }
      }
      #expect(codes == [.enhanceYourCalm])
    }
  }

  @Test(arguments: [2, 4, 6] as [UInt8])
  func `a flood of control frames ends the connection`(type: UInt8) async throws {
    var limits = GatewayConfiguration.Limits.test
    limits.controlFramesPerTenSeconds = 50
    try await withGateway(limits: limits) { gateway in
      let payloads: [UInt8: [UInt8]] = [2: [0, 0, 0, 0, 7], 6: [UInt8](repeating: 1, count: 8)]
      let frame = RawClient.frame(
        type: type,
        flags: 0,
        stream: type == 2 ? 3 : 0,
        payloads[type] ?? []
      )
      var reader = try await FrameReader(port: gateway.port)
      try await reader.client.send((0..<48).flatMap { _ in frame })
      _ = await reader.frames { $0.type == 4 && $0.flags == 1 }
      // Too many by themselves, should ten seconds have passed.
      try await reader.client.send((0..<60).flatMap { _ in frame })
      let seen = await reader.frames { $0.type == 7 }
      #expect(seen.last?.payload.suffix(4) == [0, 0, 0, 11])
    }
  }

  @Test func `a stream beyond the announced limit ends the connection`() async throws {
    var limits = GatewayConfiguration.Limits.test
    limits.streamsPerConnection = 4
    try await withGateway(limits: limits) { gateway in
      let client = try await RawClient.connect(to: gateway.port)
      let opened = (0..<5).flatMap {
        RawClient.headers(stream: UInt32(1 + 2 * $0), RawClient.call("UpdateDocument"))
      }
      try await client.send(RawClient.preface + RawClient.settings)
      let greeting = await client.receive { RawClient.frames($0).contains { $0.type == 4 } }
      // MAX_CONCURRENT_STREAMS is 4; it counts once it is acknowledged.
      let settings = try #require(RawClient.frames(greeting).first { $0.type == 4 })
      #expect(settings.payload.prefix(6) == [0, 3, 0, 0, 0, 4])
      let acknowledgement = RawClient.frame(type: 4, flags: 1, stream: 0, [])
      try await client.send(acknowledgement + opened)
      let bytes = await client.receive { RawClient.frames($0).contains { $0.type == 7 } }
      // PROTOCOL_ERROR
      #expect(RawClient.frames(bytes).first { $0.type == 7 }?.payload.suffix(4) == [0, 0, 0, 1])
    }
  }

  @Test func `a request without a path is reset`() async throws {
    try await withGateway { gateway in
      let client = try await RawClient.connect(to: gateway.port)
      let head = RawClient.headers(stream: 1, [(":method", "POST")], endStream: true)
      try await client.send(RawClient.preface + RawClient.settings + head)
      let bytes = await client.receive { RawClient.frames($0).contains { $0.type == 3 } }
      let reset = try #require(RawClient.frames(bytes).first { $0.type == 3 })
      #expect(reset.payload == [0, 0, 0, 1])
    }
  }

  @Test func `the preface may come a byte at a time`() async throws {
    try await withGateway { gateway in
      let client = try await RawClient.connect(to: gateway.port)
      for byte in RawClient.preface + RawClient.settings { try await client.send([byte]) }
      let bytes = await client.receive { RawClient.frames($0).contains { $0.type == 4 } }
      #expect(RawClient.frames(bytes).first?.type == 4)
    }
  }

  @Test func `a stop lets the open call end and refuses new connections`() async throws {
    var limits = GatewayConfiguration.Limits.test
    limits.drainTimeout = .seconds(3_600)
    try await withGateway(limits: limits) { gateway in
      let client = try await FrameClient.connect(to: gateway.port)
      try await client.call(1, "UpdateDocument", [])
      let held = await gateway.service.nextHeld()
      await gateway.stop()
      let events = await client.events { if case .goAway = $0 { true } else { false } }
      guard case .goAway(_, .noError)? = events.last else {
        Issue.record("no notice of the stop")
        return
      }
      held.respond(.success([1]))
      #expect(await client.answer().status == 0)
    }
  }

  @Test func `a call that does not end is cut off after the drain`() async throws {
    let held = try await withGateway { gateway in
      let client = try await FrameClient.connect(to: gateway.port)
      try await client.call(1, "UpdateDocument", [])
      let held = await gateway.service.nextHeld()
      await gateway.stop()
      return held
    }
    #expect(held.context.cancellation.isCancelled)
  }

  @Test func `connections beyond the limit are closed at once`() async throws {
    var limits = GatewayConfiguration.Limits.test
    limits.connections = 1
    try await withGateway(limits: limits) { gateway in
      let first = try await FrameClient.connect(to: gateway.port)
      try await first.call(1, "UpdateDocument", [1])
      let held = await gateway.service.nextHeld()
      let second = try await RawClient.connect(to: gateway.port)
      #expect(await second.receive().isEmpty)
      held.respond(.success([1]))
      #expect(await first.answer().status == 0)
    }
  }

  @Test func `a client that says nothing is closed`() async throws {
    var limits = GatewayConfiguration.Limits.test
    limits.headTimeout = .milliseconds(50)
    try await withGateway(limits: limits) { gateway in
      let client = try await RawClient.connect(to: gateway.port)
      #expect(await client.receive().isEmpty)
    }
  }

  @Test(arguments: [UInt64](1...40))
  func `garbage harms only its own connection`(seed: UInt64) async throws {
    var random = SplitMix(state: seed)
    try await withGateway { gateway in
      let good = try await FrameClient.connect(to: gateway.port)
      for round in 0..<20 {
        let client = try await RawClient.connect(to: gateway.port)
        var bytes: [UInt8] = round % 2 == 0 ? [] : RawClient.preface + RawClient.settings
        for _ in 0..<Int.random(in: 1...30, using: &random) {
          bytes += Self.garbage(&random)
        }
        // The server may close while this is still being sent.
        try? await client.send(bytes)
        try? await client.close()
      }
      try await good.call(1, "GetDocument", [42])
      #expect(await good.answer().messages == [[42]], "seed \(seed)")
    }
  }

  private static func garbage(_ random: inout SplitMix) -> [UInt8] {
    let payload = (0..<Int.random(in: 0...60, using: &random)).map { _ in
      UInt8.random(in: 0...255, using: &random)
    }
    switch Int.random(in: 0..<4, using: &random) {
    case 0: return payload
    case 1:
      let stream = UInt32.random(in: 0...9, using: &random)
      return RawClient.headers(stream: stream, RawClient.call("GetDocument"))
    default:
      return RawClient.frame(
        type: UInt8.random(in: 0...12, using: &random),
        flags: UInt8.random(in: 0...255, using: &random),
        stream: UInt32.random(in: 0...9, using: &random),
        payload
      )
    }
  }
}

extension RawClient {
  /// Closes the connection without a word.
  func close() async throws {
    try await channel.close()
  }
}

/// A small generator that repeats with its seed.
struct SplitMix: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }
}
