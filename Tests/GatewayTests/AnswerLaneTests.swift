import Access
import FirestoreService
import Testing

@testable import Gateway

/// Answers against a client whose windows are narrow, seen as single frames.
@Suite struct AnswerLaneTests {
  private static let initialWindow: UInt8 = 4
  private static let frameSize: UInt8 = 5
  private static let flowControlError: [UInt8] = [0, 0, 0, 3]

  private static func message(_ count: Int, _ first: UInt8 = 0) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: $0 &+ Int(first)) }
  }

  @Test func `a message goes as far as the stream's window, and its end waits behind it`()
    async throws
  {
    try await withGateway { gateway in
      var reader = try await FrameReader(
        port: gateway.port,
        settings: FrameReader.setting(Self.initialWindow, 100)
      )
      try await reader.listen([1])
      let call = await gateway.service.nextOpened()
      let message = Self.message(1_000)
      call.responses.send([message])
      call.responses.finish(nil)
      var seen = try await reader.settle()
      #expect(seen.data().count == 100)
      #expect(!seen.contains { $0.isTrailers })
      try await reader.client.send(FrameReader.window(1, 1) + FrameReader.window(1, 49))
      seen += try await reader.settle()
      #expect(seen.data().count == 150)
      try await reader.client.send(FrameReader.window(1, 854))
      seen += try await reader.settle()
      #expect(seen.data().count == 1_004)
      #expect(!seen.contains { $0.isTrailers })
      try await reader.client.send(FrameReader.window(1, 1))
      seen += await reader.frames { $0.isTrailers }
      #expect(seen.data() == framed(message))
    }
  }

  @Test func `messages behind one that waits keep their order`() async throws {
    try await withGateway { gateway in
      var reader = try await FrameReader(
        port: gateway.port,
        settings: FrameReader.setting(Self.initialWindow, 10)
      )
      try await reader.listen([1])
      let call = await gateway.service.nextOpened()
      let messages = (0..<20).map { Self.message(7, UInt8($0)) }
      for message in messages { call.responses.send([message]) }
      var seen = try await reader.settle()
      #expect(seen.data().count == 10)
      for _ in 0..<23 {
        try await reader.client.send(FrameReader.window(1, 10))
        seen += try await reader.settle()
      }
      #expect(seen.data() == messages.flatMap(framed))
    }
  }

  @Test func `the connection's window is shared by turns`() async throws {
    try await withGateway { gateway in
      var reader = try await FrameReader(
        port: gateway.port,
        settings: FrameReader.setting(Self.initialWindow, 1 << 20)
      )
      try await reader.listen([1, 3, 5])
      var calls: [ScriptedCall] = []
      for _ in 0..<3 { calls.append(await gateway.service.nextOpened()) }
      let message = Self.message(60_000)
      calls[0].responses.send([message])
      var seen = try await reader.settle()
      #expect(seen.data().count == 60_005)
      calls[1].responses.send([message])
      calls[2].responses.send([message])
      seen += try await reader.settle()
      #expect(seen.data().count == 65_535)
      try await reader.client.send(FrameReader.window(0, 40_000))
      seen += try await reader.settle()
      #expect(seen.data().count == 105_535)
      #expect(seen.data(of: 3).count > 16_000)
      #expect(seen.data(of: 5).count > 16_000)
      try await reader.client.send(FrameReader.window(0, 1 << 20))
      seen += try await reader.settle()
      for stream: UInt32 in [1, 3, 5] { #expect(seen.data(of: stream) == framed(message)) }
    }
  }

  @Test(arguments: [nil, 20_000, 65_536] as [UInt32?])
  func `frames are as large as the client takes them`(size: UInt32?) async throws {
    try await withGateway { gateway in
      let settings = size.map { FrameReader.setting(Self.frameSize, $0) } ?? []
      var reader = try await FrameReader(
        port: gateway.port,
        settings: FrameReader.setting(Self.initialWindow, 1 << 20) + settings
      )
      try await reader.client.send(FrameReader.window(0, 1 << 20))
      try await reader.listen([1])
      let call = await gateway.service.nextOpened()
      let message = Self.message(100_000)
      call.responses.send([message])
      call.responses.finish(nil)
      let seen = await reader.frames { $0.isTrailers }
      #expect(seen.data() == framed(message))
      let sizes = seen.filter(\.isData).map(\.payload.count)
      #expect(sizes.max() == Int(size ?? 16_384))
    }
  }

  @Test func `settings widen and narrow the windows of open streams`() async throws {
    try await withGateway { gateway in
      var reader = try await FrameReader(
        port: gateway.port,
        settings: FrameReader.setting(Self.initialWindow, 50)
      )
      try await reader.listen([1, 3])
      let call = await gateway.service.nextOpened()
      let other = await gateway.service.nextOpened()
      call.responses.send([Self.message(95)])
      var seen = try await reader.settle()
      #expect(seen.data().count == 50)
      func set(_ window: UInt32) -> [UInt8] {
        RawClient.frame(
          type: 4,
          flags: 0,
          stream: 0,
          FrameReader.setting(Self.initialWindow, window)
        )
      }
      // Twenty bytes below nothing, as far as the first stream is concerned.
      try await reader.client.send(set(30))
      // Until the server has read it.
      seen += try await reader.settle()
      other.responses.send([Self.message(95)])
      seen += try await reader.settle()
      #expect(seen.data(of: 1).count == 50)
      #expect(seen.data(of: 3).count == 30)
      try await reader.client.send(FrameReader.window(1, 20))
      seen += try await reader.settle()
      #expect(seen.data(of: 1).count == 50)
      try await reader.client.send(set(31))
      seen += try await reader.settle()
      #expect(seen.data(of: 1).count == 51)
      #expect(seen.data(of: 3).count == 31)
      try await reader.client.send(set(1_000))
      seen += try await reader.settle()
      #expect(seen.data(of: 1) == framed(Self.message(95)))
      #expect(seen.data(of: 3) == framed(Self.message(95)))
    }
  }

  @Test func `a reset drops what waits and leaves the window to others`() async throws {
    try await withGateway { gateway in
      var reader = try await FrameReader(
        port: gateway.port,
        settings: FrameReader.setting(Self.initialWindow, 1 << 20)
      )
      try await reader.listen([1, 3])
      let call = await gateway.service.nextOpened()
      let other = await gateway.service.nextOpened()
      call.responses.send([Self.message(100_000)])
      call.responses.finish(nil)
      var seen = try await reader.settle()
      #expect(seen.data(of: 1).count == 65_535)
      other.responses.send([Self.message(1_000)])
      try await reader.client.send(RawClient.frame(type: 3, flags: 0, stream: 1, [0, 0, 0, 8]))
      seen += try await reader.settle()
      try await reader.client.send(FrameReader.window(0, 1_005))
      seen += try await reader.settle()
      #expect(seen.data(of: 1).count == 65_535)
      #expect(!seen.contains { $0.isTrailers })
      #expect(seen.data(of: 3) == framed(Self.message(1_000)))
    }
  }

  @Test func `a stream that is reset while it waits is forgotten`() async throws {
    final class Weak { weak var value: (any StreamResponses)? }
    try await withGateway { gateway in
      var reader = try await FrameReader(
        port: gateway.port,
        settings: FrameReader.setting(Self.initialWindow, 1 << 20)
      )
      try await reader.listen([1])
      let call = await gateway.service.nextOpened()
      call.responses.send([Self.message(100_000)])
      _ = try await reader.settle()
      let transport = Weak()
      func wait() async throws {
        try await reader.listen([3])
        let waiting = await gateway.service.nextOpened()
        waiting.responses.send([Self.message(1_000)])
        transport.value = waiting.responses
        _ = try await reader.settle()
      }
      try await wait()
      #expect(transport.value != nil)
      try await reader.client.send(RawClient.frame(type: 3, flags: 0, stream: 3, [0, 0, 0, 8]))
      _ = try await reader.settle()
      #expect(transport.value == nil)
    }
  }

  @Test func `a window may be filled to its limit but not beyond`() async throws {
    try await withGateway { gateway in
      var reader = try await FrameReader(port: gateway.port)
      try await reader.listen([1, 3])
      let call = await gateway.service.nextOpened()
      call.responses.send([Self.message(60_000)])
      _ = try await reader.settle()
      let limit: UInt32 = 0x7FFF_FFFF
      try await reader.client.send(
        FrameReader.window(0, limit - 65_535 + 60_005) + FrameReader.window(1, limit - 65_535)
          + FrameReader.window(1, 60_005)
      )
      call.responses.send([Self.message(70_000)])
      var seen = try await reader.settle()
      #expect(seen.data() == framed(Self.message(70_000)))
      try await reader.client.send(FrameReader.window(3, limit - 65_535 + 1))
      seen = await reader.frames { $0.type == 3 }
      #expect(seen.last?.stream == 3)
      #expect(seen.last?.payload == Self.flowControlError)
      // The first stream does not suffer from that; then the connection's window overflows.
      call.responses.send([[1]])
      seen = try await reader.settle()
      #expect(seen.data(of: 1) == framed([1]))
      try await reader.client.send(FrameReader.window(0, limit))
      seen = await reader.frames { $0.type == 7 }
      #expect(seen.last?.payload.suffix(4) == Self.flowControlError[...])
    }
  }

  @Test func `an increment of nothing is refused`() async throws {
    try await withGateway { gateway in
      var reader = try await FrameReader(port: gateway.port)
      try await reader.listen([1])
      _ = await gateway.service.nextOpened()
      try await reader.client.send(FrameReader.window(0, 0))
      let seen = await reader.frames { $0.type == 7 }
      #expect(seen.last?.payload.suffix(4) == [0, 0, 0, 1])
    }
  }

  @Test func `a status without a message waits for no window`() async throws {
    try await withGateway { gateway in
      var reader = try await FrameReader(port: gateway.port)
      try await reader.listen([1])
      let call = await gateway.service.nextOpened()
      call.responses.send([Self.message(65_400)])
      call.responses.send([Self.message(1_000)])
      _ = try await reader.settle()
      try await reader.client.send(
        RawClient.headers(stream: 3, RawClient.call("DeleteDocument"))
          + RawClient.frame(type: 0, flags: 1, stream: 3, framed([1]))
      )
      let seen = await reader.frames { $0.stream == 3 && $0.isTrailers }
      #expect(seen.data(of: 3).isEmpty)
    }
  }

  @Test(arguments: [UInt64](1...8))
  func `no window is ever overdrawn and nothing is lost`(seed: UInt64) async throws {
    try await withGateway { gateway in
      var random = SplitMix(state: seed)
      let initial = Int(random.next() % 3_000)
      var reader = try await FrameReader(
        port: gateway.port,
        settings: FrameReader.setting(Self.initialWindow, UInt32(initial))
      )
      let streams = (0..<50).map { UInt32(1 + 2 * $0) }
      try await reader.listen(streams)
      var calls: [UInt32: ScriptedCall] = [:]
      for stream in streams { calls[stream] = await gateway.service.nextOpened() }
      var expected: [UInt32: [UInt8]] = [:]
      var windows = Dictionary(uniqueKeysWithValues: streams.map { ($0, initial) })
      var window = 65_535
      var seen: [FrameReader.Frame] = []
      func note(_ frames: [FrameReader.Frame]) {
        for frame in frames where frame.isData {
          window -= frame.payload.count
          windows[frame.stream, default: 0] -= frame.payload.count
          if window < 0 || windows[frame.stream, default: 0] < 0 {
            Issue.record("seed \(seed): a window was overdrawn on stream \(frame.stream)")
          }
        }
        seen += frames
      }
      for step in 0..<60 {
        let stream = streams[Int(random.next() % 50)]
        let message = Self.message(Int(random.next() % 4_000), UInt8(step))
        expected[stream, default: []] += framed(message)
        calls[stream]?.responses.send([message])
        let lucky = streams[Int(random.next() % 50)]
        let increments = [1 + Int(random.next() % 3_000), 1 + Int(random.next() % 3_000)]
        windows[lucky, default: 0] += increments[0]
        window += increments[1]
        try await reader.client.send(
          FrameReader.window(lucky, UInt32(increments[0]))
            + FrameReader.window(0, UInt32(increments[1]))
        )
        if step % 10 == 9 { note(try await reader.settle()) }
      }
      for stream in streams { windows[stream, default: 0] += 1 << 20 }
      window += 1 << 20
      try await reader.client.send(
        streams.flatMap { FrameReader.window($0, 1 << 20) } + FrameReader.window(0, 1 << 20)
      )
      note(try await reader.settle())
      for stream in streams {
        #expect(seen.data(of: stream) == expected[stream, default: []], "seed \(seed)")
      }
    }
  }
}
