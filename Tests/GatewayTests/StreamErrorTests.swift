import NIOCore
import NIOHTTP2
import Testing

@testable import Gateway

/// Streams that end in an error, on whosever account.
@Suite struct StreamErrorTests {
  private static let enhanceYourCalm: [UInt8] = [0, 0, 0, 11]

  /// The frames that a client sends on a stream to have the server reset it.
  enum Provocation: String, CaseIterable, Sendable {
    case overflowingWindow, emptyWindow, dataAfterTheEnd, headersAfterTheEnd, dependencyOnItself
    case noPath, bodyBeyondItsLength

    func frames(_ stream: UInt32) -> [UInt8] {
      let call = RawClient.call("UpdateDocument")
      let message = RawClient.frame(type: 0, flags: 1, stream: stream, framed([1]))
      let whole = RawClient.headers(stream: stream, call) + message
      switch self {
      case .overflowingWindow: return whole + FrameReader.window(stream, 0x7FFF_FFFF)
      case .emptyWindow: return whole + FrameReader.window(stream, 0)
      case .dataAfterTheEnd: return whole + message
      case .headersAfterTheEnd: return whole + RawClient.headers(stream: stream, call)
      case .dependencyOnItself:
        let dependency = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: stream >> $0) }
        return whole + RawClient.frame(type: 2, flags: 0, stream: stream, dependency + [1])
      case .noPath:
        return RawClient.headers(stream: stream, [(":method", "POST")], endStream: true)
      case .bodyBeyondItsLength:
        let head = [
          (":method", "POST"), (":scheme", "http"), (":path", "/v1/projects/p/x"),
          ("content-length", "1"),
        ]
        return RawClient.headers(stream: stream, head)
          + RawClient.frame(type: 0, flags: 1, stream: stream, [1, 2, 3])
      }
    }
  }

  @Test(arguments: Provocation.allCases)
  func `a client that makes the server reset streams is sent away`(
    provocation: Provocation
  ) async throws {
    var limits = GatewayConfiguration.Limits.test
    limits.ownResetsPerTenSeconds = 20
    try await withGateway(limits: limits) { gateway in
      let reader = try await FrameReader(port: gateway.port)
      // The server may close while this is still being sent.
      for stream in 0..<2_000 {
        try? await reader.client.send(provocation.frames(UInt32(1 + 2 * stream)))
      }
      // Until the server closes; its GOAWAY may be lost on a socket that is still written to.
      let frames = RawClient.frames(await reader.client.receive())
      #expect(frames.filter { $0.type == 3 }.count < 1_000)
      // Whatever was begun has been cancelled.
      #expect(gateway.service.contexts.count < 1_000)
      for context in gateway.service.contexts where provocation != .noPath {
        await eventually { context.cancellation.isCancelled }
      }
    }
  }

  @Test func `a flood of overflowing windows ends with ENHANCE_YOUR_CALM`() async throws {
    var limits = GatewayConfiguration.Limits.test
    limits.ownResetsPerTenSeconds = 20
    try await withGateway(limits: limits) { gateway in
      let reader = try await FrameReader(port: gateway.port)
      for stream in 0..<60 {
        try? await reader.client.send(Provocation.overflowingWindow.frames(UInt32(1 + 2 * stream)))
      }
      let frames = RawClient.frames(await reader.client.receive())
      #expect(frames.last { $0.type == 7 }?.payload.suffix(4) == Self.enhanceYourCalm[...])
    }
  }

  @Test func `handlers of reset streams are cancelled and count until they end`() async throws {
    var limits = GatewayConfiguration.Limits.test
    limits.streamsPerConnection = 4
    try await withGateway(limits: limits) { gateway in
      let client = try await FrameClient.connect(to: gateway.port)
      var held: [ScriptedService.Held] = []
      for number in 0..<5 {
        let stream = HTTP2StreamID(1 + 2 * number)
        try await client.call(stream, "UpdateDocument", [1])
        held.append(await gateway.service.nextHeld())
        try await client.send([.reset(stream)])
      }
      for held in held { await eventually { held.context.cancellation.isCancelled } }
      try await client.call(11, "GetDocument", [1])
      #expect(await client.answer(11).reset == .refusedStream)
      #expect(gateway.gateway.ledger.bytes(of: .request) > 0)
      while let last = held.popLast() { last.respond(.success([])) }
      await eventually { gateway.gateway.ledger.bytes(of: .request) == 0 }
      try await client.call(13, "GetDocument", [1])
      #expect(await client.answer(13).status == 0)
    }
  }
}

/// Returns when the condition holds; a test that waits in vain is ended by its time limit.
func eventually(_ condition: () -> Bool) async {
  while !Task.isCancelled, !condition() { await Task.yield() }
}
