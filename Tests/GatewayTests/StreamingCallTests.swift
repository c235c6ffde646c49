import BaseStatus
import Dispatch
import FirestoreModel
import NIOCore
import NIOHTTP2
import Synchronization
import Testing

@testable import Gateway

@Suite struct StreamingCallTests {
  @Test func `messages go both ways until both sides have ended`() async throws {
    try await withGateway { gateway in
      let client = try await FrameClient.connect(to: gateway.port)
      try await client.send([.head(1, "Write"), .data(1, framed([1]) + framed([]) + framed([2]))])
      try await client.send([.data(1, framed([3])), .data(1, [], endStream: true)])
      let answer = await client.answer()
      #expect(answer.headers.first(name: "content-type") == "application/grpc")
      #expect(answer.messages == [[1], [], [2], [3]])
      #expect(answer.status == 0)
      let call = await gateway.service.nextOpened()
      #expect(
        call.history == [
          .message([1]), .message([]), .message([2]), .message([3]), .requestsFinished,
        ]
      )
    }
  }

  @Test func `a message may come a byte at a time`() async throws {
    try await withGateway { gateway in
      let client = try await FrameClient.connect(to: gateway.port)
      try await client.send([.head(1, "Write")])
      for byte in framed([5, 6]) + framed([7]) { try await client.send([.data(1, [byte])]) }
      try await client.send([.data(1, [], endStream: true)])
      #expect(await client.answer().messages == [[5, 6], [7]])
    }
  }

  @Test func `a message larger than the window arrives whole`() async throws {
    try await withGateway { gateway in
      let client = try await FrameClient.connect(to: gateway.port)
      let message = (0..<2_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
      try await client.send([.head(1, "Listen"), .data(1, framed(message))])
      let call = await gateway.service.nextOpened()
      #expect(await call.next() == .message(message))
      try await client.close()
    }
  }

  @Test func `a call without a message ends as the service says`() async throws {
    try await withGateway { gateway in
      let client = try await FrameClient.connect(to: gateway.port)
      try await client.send([.head(1, "Write", endStream: true)])
      let answer = await client.answer()
      #expect(answer.status == 0)
      #expect(answer.headers.first(name: ":status") == "200")
    }
  }

  @Test func `a refused call is trailers only`() async throws {
    try await withGateway { gateway in
      let client = try await FrameClient.connect(to: gateway.port)
      try await client.send([
        .head(1, "Listen", headers: [("authorization", "Bearer refused")])
      ])
      let answer = await client.answer()
      #expect(answer.status == 16)
      #expect(answer.trailers.isEmpty)
    }
  }

  @Test func `answers may come before requests, and after the client has ended`() async throws {
    try await withGateway { gateway in
      let client = try await FrameClient.connect(to: gateway.port)
      try await client.send([.head(1, "Listen")])
      let call = await gateway.service.nextOpened()
      call.responses.send([[1], [2]])
      try await client.send([.data(1, [], endStream: true)])
      #expect(await call.wait(for: .requestsFinished))
      call.responses.send([[3]])
      call.responses.finish(nil)
      call.responses.send([[4]])
      let answer = await client.answer()
      #expect(answer.messages == [[1], [2], [3]])
      #expect(answer.status == 0)
      #expect(!call.history.contains(.cancelled))
    }
  }

  @Test func `an error comes after what was sent`() async throws {
    try await withGateway { gateway in
      let client = try await FrameClient.connect(to: gateway.port)
      try await client.send([.head(1, "Listen")])
      let call = await gateway.service.nextOpened()
      call.responses.send([[1]])
      call.responses.finish(ServiceError(.aborted, "enough"))
      let answer = await client.answer()
      #expect(answer.messages == [[1]])
      #expect(answer.status == 10)
      #expect(answer.message == "enough")
    }
  }

  @Test func `a client that still sends is told to stop once the status has left`() async throws {
    try await withGateway { gateway in
      let client = try await FrameClient.connect(to: gateway.port)
      try await client.send([.head(1, "Listen")])
      let call = await gateway.service.nextOpened()
      // More than the client's window: the status waits behind it.
      call.responses.send([[UInt8](repeating: 7, count: 100_000)])
      call.responses.finish(nil)
      var received = 0
      _ = await client.events { event in
        if case .data(_, let bytes, _) = event { received += bytes.count }
        return received == 65_535
      }
      try await client.send([.window(0, 1 << 20), .window(1, 1 << 20)])
      let rest = await client.events { if case .reset = $0 { true } else { false } }
      guard case .reset(1, .noError)? = rest.last,
        case .headers(1, let trailers, endStream: true)? = rest.dropLast().last
      else {
        Issue.record("no status and reset: \(rest)")
        return
      }
      #expect(trailers.first(name: "grpc-status") == "0")
      for case .data(_, let bytes, _) in rest { received += bytes.count }
      #expect(received == 100_005)
    }
  }

  @Test func `answers of the event loop and of other threads keep their order`() async throws {
    try await withGateway { gateway in
      let client = try await FrameClient.connect(to: gateway.port)
      try await client.send([.head(1, "Listen"), .window(0, 1 << 20), .window(1, 1 << 20)])
      let call = await gateway.service.nextOpened()
      call.onMessage.withLock {
        $0 = { [responses = call.responses] message in
          // The first response waits in the mailbox while the second is sent on the event loop.
          onAnotherThread { responses.send([message + [0]]) }
          responses.send([message + [1]])
        }
      }
      for number in 0..<100 { try await client.send([.data(1, framed([UInt8(number)]))]) }
      try await client.send([.data(1, [], endStream: true)])
      #expect(await call.wait(for: .requestsFinished))
      call.responses.finish(nil)
      let expected = (0..<100).flatMap { number -> [[UInt8]] in
        [[UInt8(number), 0], [UInt8(number), 1]]
      }
      #expect(await client.answer().messages == expected)
    }
  }

  // MARK: Flow control

  @Test func `a service that does not read closes the client's window`() async throws {
    try await withGateway { gateway in
      let client = try await FrameClient.connect(to: gateway.port)
      try await client.send([.head(1, "Listen")])
      let call = await gateway.service.nextOpened()
      call.onMessage.withLock {
        $0 = { [responses = call.responses] _ in responses.setReading(false) }
      }
      let message = [UInt8](repeating: 1, count: 50_000)
      try await client.send((0..<20).map { _ in .data(1, framed(message)) })
      #expect(await call.next() == .message(message))
      // Pings pass; no further message has.
      let ping = HTTP2PingData(withInteger: 3)
      try await client.send([HTTP2Frame(streamID: .rootStream, payload: .ping(ping, ack: false))])
      _ = await client.events { if case .pong = $0 { true } else { false } }
      #expect(call.history.count == 1)
      for _ in 1..<20 {
        call.responses.setReading(true)
        #expect(await call.next() == .message(message))
      }
      #expect(call.history.count == 20)
    }
  }

  @Test func `a sender is asked to wait and told once when the client has read`() async throws {
    try await withGateway { gateway in
      let client = try await FrameClient.connect(to: gateway.port)
      try await client.send([.head(1, "Listen")])
      let call = await gateway.service.nextOpened()
      let message = [UInt8](repeating: 1, count: 10_000)
      var sent = 1
      while call.responses.send([message]) { sent += 1 }
      // The bound is 128 KiB, and the client's window may have let 64 go already.
      #expect((14...20).contains(sent))
      let ping = HTTP2PingData(withInteger: 3)
      try await client.send([HTTP2Frame(streamID: .rootStream, payload: .ping(ping, ack: false))])
      _ = await client.events { if case .pong = $0 { true } else { false } }
      #expect(call.history.isEmpty)
      try await client.send([.window(0, 1 << 20), .window(1, 1 << 20)])
      #expect(await call.next() == .resumed)
      call.responses.finish(nil)
      _ = await client.events { event in
        if case .headers(_, _, endStream: true) = event { true } else { false }
      }
      #expect(call.history == [.resumed])
    }
  }

  @Test func `streams of one connection share a bound`() async throws {
    var limits = GatewayConfiguration.Limits.test
    limits.bufferedResponseBytes = 400_000
    try await withGateway(limits: limits) { gateway in
      let client = try await FrameClient.connect(to: gateway.port)
      let streams = (0..<10).map { HTTP2StreamID(1 + 2 * $0) }
      try await client.send(streams.map { .head($0, "Listen") })
      var calls: [ScriptedCall] = []
      for _ in streams { calls.append(await gateway.service.nextOpened()) }
      let message = [UInt8](repeating: 1, count: 100_000)
      let verdicts = calls.map { $0.responses.send([message]) }
      // The client's window may have let 64 KiB go already.
      let accepted = verdicts.count { $0 }
      #expect((3...4).contains(accepted))
      #expect(verdicts == (0..<10).map { $0 < accepted })
      try await client.send(
        [.window(0, 4 << 20)] + streams.map { .window($0, 1 << 20) }
      )
      for call in calls.dropFirst(accepted) { #expect(await call.next() == .resumed) }
      #expect(calls.prefix(accepted).allSatisfy { $0.history.isEmpty })
    }
  }

  @Test func `answers to many streams of one connection leave together`() async throws {
    try await withGateway { gateway in
      let client = try await FrameClient.connect(to: gateway.port)
      let streams = (0..<200).map { HTTP2StreamID(1 + 2 * $0) }
      try await client.send(streams.map { .head($0, "Listen") })
      var calls: [ScriptedCall] = []
      for _ in streams { calls.append(await gateway.service.nextOpened()) }
      let all = calls
      calls[0].onMessage.withLock {
        $0 = { _ in
          // The event loop waits here, so that it finds everything at once.
          onAnotherThread { for call in all { call.responses.send([[7]]) } }
        }
      }
      let before = client.reads.value
      try await client.send([.data(1, framed([]))])
      var seen = Set<HTTP2StreamID>()
      _ = await client.events { event in
        if case .data(let id, let bytes, _) = event {
          #expect(bytes == framed([7]))
          seen.insert(id)
        }
        return seen.count == 200
      }
      #expect(client.reads.value - before <= 8)
    }
  }

  // MARK: Ends

  @Test func `a deadline ends the call and cancels it once`() async throws {
    try await withGateway { gateway in
      let client = try await FrameClient.connect(to: gateway.port)
      try await client.send([.head(1, "Listen", headers: [("grpc-timeout", "30m")])])
      let call = await gateway.service.nextOpened()
      #expect(await client.answer().status == 4)
      #expect(await call.wait(for: .cancelled))
      #expect(call.context.cancellation.isCancelled)
      try await client.close()
      #expect(call.history == [.cancelled])
    }
  }

  @Test func `a reset cancels the call once`() async throws {
    try await withGateway { gateway in
      let client = try await FrameClient.connect(to: gateway.port)
      try await client.send([.head(1, "Listen"), .data(1, framed([1]))])
      let call = await gateway.service.nextOpened()
      #expect(await call.wait(for: .message([1])))
      try await client.send([.reset(1)])
      #expect(await call.wait(for: .cancelled))
      call.responses.send([[9]])
      call.responses.finish(nil)
      // The connection goes on.
      try await client.call(3, "GetDocument", [1])
      #expect(await client.answer(3).status == 0)
      #expect(call.history == [.message([1]), .cancelled])
    }
  }

  @Test(arguments: [0, 1, 6, 9, 40])
  func `a connection cut at any point cancels its calls once`(cut: Int) async throws {
    let calls = try await withGateway { gateway in
      let client = try await FrameClient.connect(to: gateway.port)
      let streams = (0..<20).map { HTTP2StreamID(1 + 2 * $0) }
      try await client.send(streams.map { .head($0, "Listen") })
      var calls: [ScriptedCall] = []
      for _ in streams { calls.append(await gateway.service.nextOpened()) }
      let bytes = Array(framed([UInt8](repeating: 1, count: 30)).prefix(cut))
      if !bytes.isEmpty { try await client.send(streams.map { .data($0, bytes) }) }
      for call in calls { call.responses.send([[1]]) }
      try await client.close()
      for call in calls { #expect(await call.wait(for: .cancelled)) }
      return calls
    }
    for call in calls {
      #expect(call.history.count { $0 == .cancelled } == 1)
      #expect(call.history.last == .cancelled)
    }
  }

  @Test func `a call that the service has finished is not cancelled`() async throws {
    let call = try await withGateway { gateway in
      let client = try await FrameClient.connect(to: gateway.port)
      try await client.send([.head(1, "Listen")])
      let call = await gateway.service.nextOpened()
      call.responses.finish(nil)
      #expect(await client.answer().status == 0)
      try await client.close()
      return call
    }
    #expect(call.history.isEmpty)
  }

  /// Request bodies that are no sequence of messages.
  static let malformed: [(name: String, body: [UInt8], status: Int)] = [
    ("half a prefix", [0, 0, 0], 13),
    ("less than announced", [0, 0, 0, 0, 9, 1, 2], 13),
    ("compressed", [1, 0, 0, 0, 1, 7], 12),
    ("too large", [0, 0x7f, 0xff, 0xff, 0xff], 3),
    ("no flag", [9, 9, 9, 9, 9], 13),
  ]

  @Test(arguments: malformed)
  func `a malformed request ends the call and cancels it`(
    name: String,
    body: [UInt8],
    status: Int
  ) async throws {
    try await withGateway { gateway in
      let client = try await FrameClient.connect(to: gateway.port)
      try await client.send([.head(1, "Listen"), .data(1, framed([1]) + body, endStream: true)])
      #expect(await client.answer().status == status)
      let call = await gateway.service.nextOpened()
      #expect(await call.wait(for: .cancelled))
      #expect(call.history == [.message([1]), .cancelled])
      try await client.call(3, "GetDocument", [1])
      #expect(await client.answer(3).status == 0)
    }
  }

  @Test func `a stop ends the calls with UNAVAILABLE`() async throws {
    var limits = GatewayConfiguration.Limits.test
    limits.drainTimeout = .seconds(3_600)
    try await withGateway(limits: limits) { gateway in
      let client = try await FrameClient.connect(to: gateway.port)
      try await client.send([.head(1, "Listen"), .head(3, "Listen")])
      let cancelled = await gateway.service.nextOpened()
      let orderly = await gateway.service.nextOpened()
      orderly.endsItself.withLock { $0 = true }
      await gateway.stop()
      #expect(await cancelled.wait(for: .cancelled))
      #expect(await orderly.wait(for: .drained))
      orderly.responses.send([[5]])
      orderly.responses.finish(ServiceError(.unavailable, "stopping"))
      let answers = await client.answers([1, 3])
      #expect(answers[1]?.status == 14)
      #expect(answers[3]?.messages == [[5]])
      #expect(answers[3]?.status == 14)
      #expect(cancelled.history == [.drained, .cancelled])
      #expect(orderly.history == [.drained])
    }
  }

  @Test func `a client that never reads is dropped and its calls are cancelled`() async throws {
    var limits = GatewayConfiguration.Limits.test
    limits.stalledReaderTimeout = .milliseconds(50)
    try await withGateway(limits: limits) { gateway in
      let client = try await FrameClient.connect(to: gateway.port)
      try await client.send([.head(1, "Listen")])
      let call = await gateway.service.nextOpened()
      call.responses.send([[UInt8](repeating: 1, count: 100_000)])
      #expect(await call.wait(for: .cancelled))
    }
  }

  @Test func `open streams and their messages are counted`() async throws {
    try await withGateway { gateway in
      let client = try await FrameClient.connect(to: gateway.port)
      try await client.send([.head(1, "Listen"), .head(3, "Write"), .data(3, framed([1]))])
      let call = await gateway.service.nextOpened()
      _ = await client.events { if case .data(3, _, _) = $0 { true } else { false } }
      #expect(gateway.metrics.render().contains("open_streams{method=\"Listen\"} 1.0\n"))
      #expect(gateway.metrics.render().contains("open_streams{method=\"Write\"} 1.0\n"))
      call.responses.finish(nil)
      try await client.send([.data(3, [], endStream: true)])
      _ = await client.answers([1, 3])
      let text = gateway.metrics.render()
      #expect(text.contains("open_streams{method=\"Listen\"} 0.0\n"))
      #expect(text.contains("open_streams{method=\"Write\"} 0.0\n"))
      #expect(text.contains("stream_messages_received_total 1\n"))
      #expect(text.contains("stream_messages_sent_total 1\n"))
    }
  }
}

/// Runs the body on a thread of its own and returns when it is done.
private func onAnotherThread(_ body: @escaping @Sendable () -> Void) {
  let done = DispatchSemaphore(value: 0)
  DispatchQueue.global().async {
    body()
    done.signal()
  }
  done.wait()
}
