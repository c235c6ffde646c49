import FirestoreModel
import NIOCore
import NIOHTTP2
import Testing

@testable import Gateway

@Suite struct GRPCCallTests {
  @Test func `a unary call gets its message back`() async throws {
    try await withGateway { gateway in
      let client = try await FrameClient.connect(to: gateway.port)
      try await client.call(1, "GetDocument", Array("hello".utf8))
      let answer = await client.answer()
      #expect(answer.headers.first(name: ":status") == "200")
      #expect(answer.headers.first(name: "content-type") == "application/grpc")
      #expect(answer.messages == [Array("hello".utf8)])
      #expect(answer.status == 0)
    }
  }

  @Test func `an answer from another thread arrives`() async throws {
    try await withGateway { gateway in
      let client = try await FrameClient.connect(to: gateway.port)
      let streams = (0..<50).map { HTTP2StreamID(1 + 2 * $0) }
      for stream in streams { try await client.call(stream, "Commit", [UInt8(Int(stream))]) }
      let answers = await client.answers(streams)
      for stream in streams {
        #expect(answers[stream]?.messages == [[UInt8(Int(stream))]])
        #expect(answers[stream]?.status == 0)
      }
    }
  }

  @Test func `an empty message is a message`() async throws {
    try await withGateway { gateway in
      let client = try await FrameClient.connect(to: gateway.port)
      try await client.call(1, "GetDocument", [])
      #expect(await client.answer().messages == [[]])
    }
  }

  @Test func `a message may come a byte at a time`() async throws {
    try await withGateway { gateway in
      let client = try await FrameClient.connect(to: gateway.port)
      try await client.send([.head(1, "GetDocument")])
      for byte in framed(Array("slow".utf8)) { try await client.send([.data(1, [byte])]) }
      try await client.send([.data(1, [], endStream: true)])
      #expect(await client.answer().messages == [Array("slow".utf8)])
    }
  }

  @Test func `a message of many frames arrives whole`() async throws {
    try await withGateway { gateway in
      let client = try await FrameClient.connect(to: gateway.port)
      let message = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
      try await client.call(1, "GetDocument", message)
      try await client.send([.window(0, 4 << 20), .window(1, 4 << 20)])
      let answer = await client.answer()
      #expect(answer.status == 0)
      #expect(answer.messages == [message])
    }
  }

  @Test func `an error is trailers only, with its text encoded`() async throws {
    try await withGateway { gateway in
      let client = try await FrameClient.connect(to: gateway.port)
      try await client.call(1, "DeleteDocument", [])
      let answer = await client.answer()
      #expect(answer.headers.first(name: ":status") == "200")
      #expect(answer.status == 5)
      #expect(answer.message == "No document: 100 %25 %C3%A9")
      #expect(answer.headers.first(name: "x-request-id") != nil)
      #expect(answer.data.isEmpty && answer.trailers.isEmpty)
    }
  }

  @Test(arguments: [
    ("NoSuchMethod", 12), ("/other.Service/GetDocument", 12),
  ])
  func `a method that is not served is unimplemented`(method: String, status: Int) async throws {
    try await withGateway { gateway in
      let client = try await FrameClient.connect(to: gateway.port)
      try await client.send([.head(1, method)])
      let answer = await client.answer()
      #expect(answer.status == status)
      #expect(gateway.service.contexts.isEmpty)
    }
  }

  @Test func `an encoding that is not identity is refused with what is accepted`() async throws {
    try await withGateway { gateway in
      let client = try await FrameClient.connect(to: gateway.port)
      try await client.call(1, "GetDocument", [1], headers: [("grpc-encoding", "gzip")])
      let answer = await client.answer()
      #expect(answer.status == 12)
      #expect(answer.headers.first(name: "grpc-accept-encoding") == "identity")
    }
  }

  /// Requests that are not one acceptable message.
  static let malformed: [(name: String, body: [UInt8], status: Int)] = [
    ("nothing", [], 12),
    ("half a prefix", [0, 0, 0], 12),
    ("less than announced", [0, 0, 0, 0, 9, 1, 2], 3),
    ("compressed", [1, 0, 0, 0, 1, 7], 12),
    ("two messages", framed([1]) + framed([2]), 12),
    ("too large", [0, 0x7f, 0xff, 0xff, 0xff], 3),
  ]

  @Test(arguments: malformed)
  func `a malformed request gets its code`(
    name: String,
    body: [UInt8],
    status: Int
  ) async throws {
    try await withGateway { gateway in
      let client = try await FrameClient.connect(to: gateway.port)
      try await client.send([.head(1, "GetDocument"), .data(1, body, endStream: true)])
      #expect(await client.answer().status == status)
      // The connection goes on.
      try await client.call(3, "GetDocument", [1])
      #expect(await client.answer(3).status == 0)
    }
  }

  @Test func `too much metadata is resource exhausted`() async throws {
    var limits = GatewayConfiguration.Limits.test
    limits.metadataBytes = 4_000
    try await withGateway(limits: limits) { gateway in
      let client = try await FrameClient.connect(to: gateway.port)
      let value = String(repeating: "v", count: 4_000)
      try await client.call(1, "GetDocument", [1], headers: [("x-large", value)])
      #expect(await client.answer().status == 8)
    }
  }

  @Test func `a deadline ends the call and its work`() async throws {
    try await withGateway { gateway in
      let client = try await FrameClient.connect(to: gateway.port)
      try await client.call(1, "UpdateDocument", [], headers: [("grpc-timeout", "30m")])
      let held = await gateway.service.nextHeld()
      #expect(held.context.deadline != nil)
      #expect(await client.answer().status == 4)
      #expect(held.context.cancellation.isCancelled)
      // Too late, and harmless.
      held.respond(.success([1]))
      try await client.call(3, "GetDocument", [1])
      #expect(await client.answer(3).status == 0)
    }
  }

  @Test func `a malformed timeout is an invalid argument`() async throws {
    try await withGateway { gateway in
      let client = try await FrameClient.connect(to: gateway.port)
      try await client.call(1, "GetDocument", [], headers: [("grpc-timeout", "soon")])
      #expect(await client.answer().status == 3)
    }
  }

  @Test func `a reset call is cancelled`() async throws {
    try await withGateway { gateway in
      let client = try await FrameClient.connect(to: gateway.port)
      try await client.call(1, "UpdateDocument", [])
      let held = await gateway.service.nextHeld()
      #expect(!held.context.cancellation.isCancelled)
      try await client.send([.reset(1)])
      try await client.call(3, "GetDocument", [1])
      #expect(await client.answer(3).status == 0)
      #expect(held.context.cancellation.isCancelled)
    }
  }

  @Test func `a connection that goes away cancels its calls`() async throws {
    let held = try await withGateway { gateway in
      let client = try await FrameClient.connect(to: gateway.port)
      try await client.call(1, "UpdateDocument", [])
      let held = await gateway.service.nextHeld()
      try await client.close()
      return held
    }
    #expect(held.context.cancellation.isCancelled)
    held.respond(.success([]))
  }

  @Test func `a call's circumstances reach the service`() async throws {
    try await withGateway { gateway in
      let client = try await FrameClient.connect(to: gateway.port)
      try await client.call(1, "GetDocument", [], headers: [("authorization", "Bearer owner")])
      _ = await client.answer()
      let context = try #require(gateway.service.contexts.first)
      #expect(context.authorization == "Bearer owner")
      #expect(!context.isSecure)
      #expect(context.isLocal)
      #expect(context.deadline == nil)
      #expect(!context.requestID.isEmpty)
    }
  }

  @Test func `a thousand calls are open at once`() async throws {
    try await withGateway { gateway in
      let client = try await FrameClient.connect(to: gateway.port)
      let streams = (0..<1_000).map { HTTP2StreamID(1 + 2 * $0) }
      try await client.send(
        streams.flatMap {
          [.head($0, "UpdateDocument"), .data($0, framed([]), endStream: true)]
        }
      )
      var held: [ScriptedService.Held] = []
      for _ in streams { held.append(await gateway.service.nextHeld()) }
      for call in held { call.respond(.success([7])) }
      let answers = await client.answers(streams)
      #expect(answers.count == 1_000)
      #expect(answers.values.allSatisfy { $0.status == 0 && $0.messages == [[7]] })
    }
  }
}
