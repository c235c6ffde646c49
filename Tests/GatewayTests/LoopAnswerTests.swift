import BaseStatus
import Dispatch
import FirestoreModel
import ServiceModule
import Synchronization
import Testing

@testable import Gateway

/// Requests with bodies that routes answer on the connection's event loop, and answers that go on there.
@Suite struct LoopAnswerTests {
  /// A desk that answers each letter in one of four ways.
  ///
  ///     POST /desk/{number}    0 at once, 1 later by another thread, 2 by the handler, 3 with an error: modulo 4
  ///     POST /feed/{number}    a stream of what the test says
  ///     GET /book              a million bytes
  private final class Desk: Sendable {
    let feeds: [Feed]
    private let books = Atomic<Int>(0)

    init(feeds count: Int = 1) { feeds = (0..<count).map { _ in Feed() } }

    var feed: Feed { feeds[0] }

    /// The number of times that the book was requested.
    var askedBooks: Int { books.load(ordering: .relaxed) }

    var module: ServiceModule {
      var letters = HTTPRoute(.post, "/desk/{number}", for: .clients) { request in
        let body = try await request.body.collect(upTo: 1 << 20)
        return Self.answer(request, body, "handled")
      }
      letters.loop = HTTPRoute.LoopHandling(upTo: 1_000) { request, body, answer in
        switch (Int(request.parameters["number"] ?? "") ?? 2) % 4 {
        case 0: answer(.response(Self.answer(request, body, "at once")))
        case 1:
          DispatchQueue.global().async { answer(.response(Self.answer(request, body, "later"))) }
        case 2: return false
        default: answer(.failure(ServiceError(.notFound, "no such letter")))
        }
        return true
      }
      var feeding = HTTPRoute(.post, "/feed/{number}", for: .clients) { _ in .text("handled\n") }
      feeding.loop = HTTPRoute.LoopHandling(upTo: 10, takesConnection: true) {
        [feeds] request, _, answer in
        let feed = feeds[Int(request.parameters["number"] ?? "") ?? 0]
        answer(.stream([.contentType: "text/plain"], feed))
        return true
      }
      var reading = HTTPRoute(.get, "/book", for: .clients) { _ in self.book() }
      reading.memoryHandler = { _ in MemoryAnswer(self.book()) }
      var module = ServiceModule("desk")
      module.routes = [letters, feeding, reading]
      module.onShutdown = { [feeds] in for feed in feeds { feed.finish() } }
      return module
    }

    private func book() -> ServiceResponse {
      books.add(1, ordering: .relaxed)
      return .text(String(repeating: "x", count: 1_000_000))
    }

    private static func answer(
      _ request: ServiceRequest,
      _ body: [UInt8],
      _ way: String
    ) -> ServiceResponse {
      .text(
        "\(request.parameters["number"] ?? "") \(way) \(String(decoding: body, as: UTF8.self))\n"
      )
    }
  }

  /// A stream whose parts the test gives.
  private final class Feed: LoopStream {
    private struct State {
      var news: (any LoopNews)?
      var parts: [LoopPart] = []
      var taken = 0
      var ends = 0
    }

    private let state = Mutex(State())

    func begin(_ news: any LoopNews) { state.withLock { $0.news = news } }

    func next() -> LoopPart {
      state.withLock { state in
        guard !state.parts.isEmpty else { return .nothing }
        state.taken += 1
        return state.parts.removeFirst()
      }
    }

    func end() { state.withLock { $0.ends += 1 } }

    func say(_ parts: [LoopPart]) {
      let news = state.withLock { state in
        state.parts += parts
        return state.news
      }
      news?.arrived()
    }

    func finish() { say([.end]) }

    var taken: Int { state.withLock { $0.taken } }
    var ends: Int { state.withLock { $0.ends } }
    var hasBegun: Bool { state.withLock { $0.news != nil } }
  }

  private static func post(_ path: String, _ body: String, _ headers: String = "") -> String {
    "POST \(path) HTTP/1.1\r\nHost: x\r\nContent-Length: \(body.utf8.count)\r\n\(headers)\r\n\(body)"
  }

  /// The responses to those bytes, each of which ends with its own mark.
  private static func answers(
    to pieces: [String],
    until end: String,
    port: Int
  ) async throws
    -> String
  {
    let client = try await RawClient.connect(to: port)
    for piece in pieces { try await client.send(piece) }
    let answer = await client.receive { String(decoding: $0, as: UTF8.self).contains(end) }
    return String(decoding: answer, as: UTF8.self)
  }

  /// The lines of bodies, in their order.
  private static func bodies(_ answers: String) -> [String] {
    answers.replacing("\r\n", with: "\n").split(separator: "\n")
      .filter { $0.contains(" at once ") || $0.contains(" later ") || $0.contains(" handled ") }
      .map(String.init)
  }

  @Test func `answers keep the order of their requests, whichever way they take`() async throws {
    try await withGateway(modules: [Desk().module]) { gateway in
      let numbers = [0, 4, 1, 5, 8, 2, 6, 12, 9, 10, 13, 16]
      let requests = numbers.map { Self.post("/desk/\($0)", "n\($0)") }.joined()
      let answers = try await Self.answers(to: [requests], until: " n16\n", port: gateway.port)
      let bodies = Self.bodies(answers)
      #expect(bodies.map { $0.prefix { $0 != " " } } == numbers.map { "\($0)" })
      let ways = ["at once", "later", "handled"]
      // What comes behind a request that the handler answers is the handler's until that is written.
      #expect(bodies.prefix(6) == numbers.prefix(6).map { "\($0) \(ways[$0 % 4]) n\($0)" }[...])
    }
  }

  @Test func `a body may come in pieces, and with the next request`() async throws {
    try await withGateway(modules: [Desk().module]) { gateway in
      let request = Self.post("/desk/1", "a longer letter")
      let pieces = [
        String(request.dropLast(15)), "a lon", "ger letter" + String(request.prefix(20)),
        String(request.dropFirst(20)) + Self.post("/desk/2", "x"),
      ]
      let answers = try await Self.answers(to: pieces, until: "2 handled", port: gateway.port)
      let longer = "1 later a longer letter"
      // A head that comes in two is the decoder's.
      let bodies = Self.bodies(answers)
      #expect(bodies.first == longer && bodies.count == 3)
    }
  }

  @Test(arguments: [
    (String(repeating: "x", count: 1_001), ""), ("x", "Connection: close\r\n"),
  ])
  func `larger bodies and connections that end are the handler's`(
    body: String,
    headers: String
  ) async throws {
    try await withGateway(modules: [Desk().module]) { gateway in
      let request = Self.post("/desk/4", body, headers)
      let answer = try await Self.answers(to: [request], until: "handled", port: gateway.port)
      #expect(answer.contains("4 handled x"))
    }
  }

  @Test func `an error has the form of all others, and what all answers have`() async throws {
    try await withGateway(modules: [Desk().module]) { gateway in
      let request = Self.post("/desk/3", "", "Origin: http://a\r\n")
      let answer = try await Self.answers(to: [request], until: "NOT_FOUND", port: gateway.port)
      #expect(answer.hasPrefix("HTTP/1.1 404 Not Found\r\n"))
      #expect(answer.contains("Access-Control-Allow-Origin: http://a\r\n"))
      #expect(answer.contains("x-request-id: ") && answer.contains("no such letter"))
    }
  }

  @Test func `a stream is written as it has something, and ends the connection`() async throws {
    let desk = Desk()
    try await withGateway(modules: [desk.module]) { gateway in
      let client = try await RawClient.connect(to: gateway.port)
      try await client.send(Self.post("/feed/0", ""))
      var seen = await client.receive { String(decoding: $0, as: UTF8.self).hasSuffix("\r\n\r\n") }
      let head = String(decoding: seen, as: UTF8.self)
      #expect(head.contains("Transfer-Encoding: chunked\r\n"))
      #expect(head.contains("Connection: close\r\n"))
      desk.feed.say([.bytes(Array("one\n".utf8)), .bytes(Array("two\n".utf8))])
      seen = await client.receive { String(decoding: $0, as: UTF8.self).hasSuffix("two\n\r\n") }
      #expect(String(decoding: seen, as: UTF8.self) == "4\r\none\n\r\n4\r\ntwo\n\r\n")
      // What is sent behind the request is passed over.
      try await client.send(Self.post("/desk/4", "x"))
      desk.feed.finish()
      seen = await client.receive()
      #expect(String(decoding: seen, as: UTF8.self) == "0\r\n\r\n")
      #expect(desk.feed.ends == 1)
      await eventually { gateway.gateway.ledger.poolBytes == 0 }
    }
  }

  @Test func `a stream waits for a client that does not read, and hears when it goes`() async throws
  {
    let desk = Desk()
    try await withGateway(modules: [desk.module]) { gateway in
      let client = try await RawClient.connect(to: gateway.port)
      try await client.channel.setOption(.autoRead, value: false).get()
      try await client.send(Self.post("/feed/0", ""))
      await eventually { desk.feed.hasBegun }
      let part = [UInt8](repeating: 0x61, count: 1 << 20)
      desk.feed.say([LoopPart](repeating: .bytes(part), count: 64))
      await eventually { desk.feed.taken > 0 }
      // The sockets of both sides take some.
      #expect(desk.feed.taken < 64)
      try await client.channel.close()
      await eventually { desk.feed.ends == 1 }
    }
  }

  @Test func `a client that reads nothing of a stream is cut off`() async throws {
    var limits = GatewayConfiguration.Limits.test
    limits.stalledReaderTimeout = .milliseconds(50)
    let desk = Desk()
    try await withGateway(limits: limits, modules: [desk.module]) { gateway in
      let client = try await RawClient.connect(to: gateway.port)
      try await client.channel.setOption(.autoRead, value: false).get()
      try await client.send(Self.post("/feed/0", ""))
      await eventually { desk.feed.hasBegun }
      let part = [UInt8](repeating: 0x61, count: 1 << 20)
      desk.feed.say([LoopPart](repeating: .bytes(part), count: 64))
      await eventually { desk.feed.ends == 1 }
      #expect(desk.feed.taken < 64)
      await eventually { gateway.gateway.ledger.poolBytes == 0 }
    }
  }

  @Test func `a stop ends streams, all of them to their last byte`() async throws {
    var limits = GatewayConfiguration.Limits.test
    limits.drainTimeout = .seconds(3_600)
    let desk = Desk(feeds: 20)
    try await withGateway(limits: limits, modules: [desk.module]) { gateway in
      var clients: [RawClient] = []
      for number in desk.feeds.indices {
        let client = try await RawClient.connect(to: gateway.port)
        try await client.send(Self.post("/feed/\(number)", ""))
        clients.append(client)
      }
      await eventually { desk.feeds.allSatisfy(\.hasBegun) }
      await gateway.stop()
      for client in clients {
        let seen = String(decoding: await client.receive(), as: UTF8.self)
        #expect(seen.hasSuffix("\r\n\r\n0\r\n\r\n"))
      }
      #expect(desk.feeds.map(\.ends) == [Int](repeating: 1, count: 20))
    }
  }

  @Test func `what comes in one piece with a stream's request is passed over`() async throws {
    let desk = Desk()
    try await withGateway(modules: [desk.module]) { gateway in
      let client = try await RawClient.connect(to: gateway.port)
      try await client.send(Self.post("/feed/0", "") + Self.post("/desk/4", "x"))
      await eventually { desk.feed.hasBegun }
      // A part without bytes ends nothing.
      desk.feed.say([.bytes([]), .bytes(Array("one\n".utf8)), .end])
      let seen = String(decoding: await client.receive(), as: UTF8.self)
      #expect(seen.hasSuffix("\r\n\r\n4\r\none\n\r\n0\r\n\r\n") && !seen.contains("at once"))
    }
  }

  @Test func `a client that reads nothing is cut off, whatever it asks`() async throws {
    var limits = GatewayConfiguration.Limits.test
    limits.stalledReaderTimeout = .milliseconds(50)
    let desk = Desk()
    try await withGateway(limits: limits, modules: [desk.module]) { gateway in
      let client = try await RawClient.connect(to: gateway.port)
      try await client.channel.setOption(.autoRead, value: false).get()
      let count = 64
      let request = "GET /book HTTP/1.1\r\nHost: x\r\n\r\n"
      try await client.send(String(repeating: request, count: count))
      await eventually { desk.askedBooks > 0 }
      await eventually { gateway.metrics.render().contains("brasa_connections 0.0\n") }
      // The sockets of both sides take some.
      #expect(desk.askedBooks < count)
      await eventually { gateway.gateway.ledger.poolBytes == 0 }
    }
  }

  @Test func `a connection that had other requests before is not taken`() async throws {
    try await withGateway(modules: [Desk().module]) { gateway in
      let requests = [Self.post("/desk/2", "x"), Self.post("/feed/0", "")]
      let answers = try await Self.answers(to: requests, until: "handled\n", port: gateway.port)
      #expect(answers.contains("2 handled x"))
    }
  }

  @Test func `a connection whose body does not come is cut off`() async throws {
    var limits = GatewayConfiguration.Limits.test
    limits.headTimeout = .milliseconds(50)
    try await withGateway(limits: limits, modules: [Desk().module]) { gateway in
      let client = try await RawClient.connect(to: gateway.port)
      // On a busy machine the connection may be cut off before the write.
      _ = try? await client.send(String(Self.post("/desk/4", "letter").dropLast(3)))
      #expect(await client.receive().isEmpty)
    }
  }
}
