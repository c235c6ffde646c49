import FirestoreModel
import NIOCore
import NIOHTTP2
import Testing

@testable import Gateway

@Suite struct StreamedResultTests {
  @Test(arguments: ["RunQuery", "BatchGetDocuments"], [0, 1, 60, 500])
  func `a result streams to its end`(method: String, count: Int) async throws {
    try await withGateway { gateway in
      let client = try await FrameClient.connect(to: gateway.port)
      try await client.send([.window(0, 1 << 20)])
      try await client.send([
        .head(1, method), .data(1, framed(Array("\(count)".utf8)), endStream: true),
        .window(1, 1 << 20),
      ])
      let answer = await client.answer()
      #expect(answer.status == 0)
      #expect(answer.messages.count == count)
      #expect(answer.messages.enumerated().allSatisfy { $1.first == UInt8(0x41 + $0 % 26) })
    }
  }

  @Test func `a result is computed only as fast as its client reads`() async throws {
    try await withGateway { gateway in
      let client = try await FrameClient.connect(to: gateway.port)
      try await client.call(1, "RunQuery", Array("100000".utf8))
      var received = 0
      // The whole of the default window, and not a byte more.
      _ = await client.events { event in
        if case .data(_, let bytes, _) = event { received += bytes.count }
        return received == 65_535
      }
      let ping = HTTP2PingData(withInteger: 7)
      try await client.send([HTTP2Frame(streamID: .rootStream, payload: .ping(ping, ack: false))])
      let rest = await client.events { if case .pong = $0 { true } else { false } }
      #expect(rest.count == 1)
      #expect(gateway.service.produced.value * 1_000 <= 65_535 + 2 * (128 << 10))

      let before = gateway.service.produced.value
      try await client.send([.window(0, 1 << 20), .window(1, 1 << 20)])
      _ = await client.events { event in
        if case .data(_, let bytes, _) = event { received += bytes.count }
        return received == 65_535 + (1 << 20)
      }
      #expect(gateway.service.produced.value > before)
      #expect(gateway.service.produced.value * 1_000 <= 65_535 + (1 << 20) + 2 * (128 << 10))
    }
  }

  @Test func `calls wait to start while their client does not read`() async throws {
    var limits = GatewayConfiguration.Limits.test
    limits.bufferedResponseBytes = 200_000
    try await withGateway(limits: limits) { gateway in
      let client = try await FrameClient.connect(to: gateway.port)
      let message = [UInt8](repeating: 1, count: 100_000)
      let streams = (0..<20).map { HTTP2StreamID(1 + 2 * $0) }
      for stream in streams { try await client.call(stream, "GetDocument", message) }
      let ping = HTTP2PingData(withInteger: 1)
      try await client.send([HTTP2Frame(streamID: .rootStream, payload: .ping(ping, ack: false))])
      var data: [HTTP2StreamID: Int] = [:]
      _ = await client.events { event in
        if case .data(let id, let bytes, _) = event { data[id, default: 0] += bytes.count }
        if case .pong = event { return true }
        return false
      }
      #expect(gateway.service.contexts.count < 6)
      try await client.send(
        [.window(0, 4 << 20)] + streams.map { .window($0, 200_000) }
      )
      let answers = await client.answers(streams)
      #expect(answers.values.allSatisfy { $0.status == 0 })
      #expect(gateway.service.contexts.count == 20)
    }
  }

  @Test func `an error half-way comes after what was sent`() async throws {
    try await withGateway { gateway in
      let client = try await FrameClient.connect(to: gateway.port)
      try await client.call(1, "RunAggregationQuery", [])
      let answer = await client.answer()
      #expect(answer.messages.count == 1)
      #expect(answer.trailers.first(name: "grpc-status") == "10")
      #expect(answer.message == "stopped half-way")
    }
  }

  @Test func `an error before the first message is trailers only`() async throws {
    try await withGateway { gateway in
      let client = try await FrameClient.connect(to: gateway.port)
      try await client.call(1, "ExecutePipeline", [])
      let answer = await client.answer()
      #expect(answer.status == 9)
      #expect(answer.trailers.isEmpty)
    }
  }

  @Test func `a stalled reader is dropped`() async throws {
    var limits = GatewayConfiguration.Limits.test
    limits.stalledReaderTimeout = .milliseconds(50)
    try await withGateway(limits: limits) { gateway in
      let client = try await FrameClient.connect(to: gateway.port)
      try await client.call(1, "RunQuery", Array("1000".utf8))
      let events = await client.events { _ in false }
      guard case .closed? = events.last else {
        Issue.record("the connection is still open")
        return
      }
    }
  }
}
