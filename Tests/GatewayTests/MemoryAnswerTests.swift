import BaseStatus
import Dispatch
import FirestoreModel
import HTTPTypes
import NIOCore
import ServiceModule
import Synchronization
import Testing

@testable import Gateway

/// Requests that routes answer on the connection's event loop.
@Suite struct MemoryAnswerTests {
  /// A shelf whose even numbers are in memory; others take a while.
  ///
  ///     GET /shelf/{number}    the number, and by which way it was found
  private final class Shelf: Sendable {
    private let asked = Mutex<[String]>([])

    var module: ServiceModule {
      var route = HTTPRoute(.get, "/shelf/{number}", for: .clients) { request in
        self.answer(request, "fetched")
      }
      route.memoryHandler = { request in
        guard let number = Int(request.parameters["number"] ?? "") else {
          throw ServiceError(.invalidArgument, "no number")
        }
        return number.isMultiple(of: 2) ? MemoryAnswer(self.answer(request, "remembered")) : nil
      }
      var module = ServiceModule("shelf")
      module.routes = [route]
      return module
    }

    /// The requests' ids, as handlers saw them.
    var ids: [String] { asked.withLock { $0 } }

    private func answer(_ request: ServiceRequest, _ way: String) -> ServiceResponse {
      asked.withLock { $0.append(request.context.requestID) }
      return .text("\(request.parameters["number"] ?? "") \(way) \(request.query ?? "")\n")
    }
  }

  private static func get(_ path: String, _ headers: String = "") -> String {
    "GET \(path) HTTP/1.1\r\nHost: x\r\n\(headers)\r\n"
  }

  /// Returns the server's responses to those bytes, until that many have ended.
  private static func answers(_ bytes: String, _ count: Int, port: Int) async throws -> String {
    let client = try await RawClient.connect(to: port)
    try await client.send(bytes)
    let answer = await client.receive { bodies(String(decoding: $0, as: UTF8.self)).count >= count }
    return String(decoding: answer, as: UTF8.self)
  }

  /// The bodies, each of which is a line; in heads a line ends otherwise.
  private static func bodies(_ answers: String) -> [String] {
    let lines = answers.replacing("\r\n", with: "|").split(
      separator: "\n",
      omittingEmptySubsequences: false
    )
    return lines.dropLast().map { line in
      String(line[(line.lastIndex(of: "|").map(line.index(after:)) ?? line.startIndex)...])
    }
  }

  @Test func `answers keep the order of their requests, whichever way they take`() async throws {
    let shelf = Shelf()
    try await withGateway(modules: [shelf.module]) { gateway in
      let numbers = [2, 4, 1, 6, 3, 5, 8, 10, 7, 12]
      let requests = numbers.map { Self.get("/shelf/\($0)?a") }.joined()
      let answers = try await Self.answers(requests, numbers.count, port: gateway.port)
      let bodies = Self.bodies(answers)
      #expect(bodies.map { $0.prefix { $0 != " " } } == numbers.map { "\($0)" })
      #expect(bodies[0] == "2 remembered a" && bodies[1] == "4 remembered a")
      #expect(bodies[2] == "1 fetched a")
      #expect(Set(shelf.ids).count == numbers.count)
      for id in shelf.ids { #expect(answers.contains("x-request-id: \(id)\r\n")) }
    }
  }

  /// A bell that is rung by one client, each time for two milliseconds, and by others.
  private final class Bell: Sendable {
    let isRung = DispatchSemaphore(value: 0)
    let mayEnd = DispatchSemaphore(value: 0)
    private let names = Mutex<[String]>([])

    /// The names of the clients that rang it, in order.
    var order: [String] { names.withLock { $0 } }

    var module: ServiceModule {
      var route = HTTPRoute(.get, "/bell/{name}", for: .clients) { _ in .text("handled\n") }
      route.memoryHandler = { request in
        let name = request.parameters["name"] ?? ""
        let isFirst = self.names.withLock { names in
          defer { names.append(name) }
          return !names.contains(name)
        }
        if name == "long" {
          if isFirst {
            self.isRung.signal()
            self.mayEnd.wait()
          }
          let end = NIODeadline.now() + .milliseconds(2)
          while .now() < end {}
        }
        return MemoryAnswer(.text("\(name)\n"))
      }
      var module = ServiceModule("bell")
      module.routes = [route]
      return module
    }
  }

  @Test func `many requests in one read let those of others pass`() async throws {
    let bell = Bell()
    let count = 40
    try await withGateway(threads: 1, modules: [bell.module]) { gateway in
      let busy = try await RawClient.connect(to: gateway.port)
      let other = try await RawClient.connect(to: gateway.port)
      try await other.send(Self.get("/bell/first"))
      _ = await other.receive { $0.last == UInt8(ascii: "\n") && $0.count > 20 }
      try await busy.send(String(repeating: Self.get("/bell/long"), count: count))
      await withCheckedContinuation { continuation in
        DispatchQueue.global().async {
          bell.isRung.wait()
          continuation.resume()
        }
      }
      try await other.send(Self.get("/bell/short"))
      bell.mayEnd.signal()
      let answers = await busy.receive {
        Self.bodies(String(decoding: $0, as: UTF8.self)).count == count
      }
      #expect(Self.bodies(String(decoding: answers, as: UTF8.self)).count == count)
      let place = try #require(bell.order.firstIndex(of: "short"))
      // The first read has 512 bytes, which are fourteen requests.
      #expect(place < 8)
    }
  }

  @Test func `what comes from memory is counted, and has what other answers have`() async throws {
    try await withGateway(modules: [Shelf().module]) { gateway in
      let page = Self.get("/shelf/2", "Origin: http://a\r\n")
      let answer = try await Self.answers(page + Self.get("/shelf/4"), 2, port: gateway.port)
      #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n"))
      #expect(answer.contains("Access-Control-Allow-Origin: http://a\r\n"))
      #expect(answer.contains("Content-Length: 14\r\n"))
      let client = try await FrameClient.connect(to: gateway.port)
      try await client.send([.request(1, "GET", "/metrics", endStream: true)])
      let text = String(decoding: await client.answer(1).data, as: UTF8.self)
      #expect(text.contains("brasa_http_requests_total{status=\"200\"} 2\n"))
    }
  }

  @Test(arguments: [
    ("Content-Length: 1\r\n", "x"), ("Connection: close\r\n", ""),
    ("Transfer-Encoding: chunked\r\n", "1\r\nx\r\n0\r\n\r\n"),
  ])
  func `a body, or a connection that ends, is the handler's`(
    headers: String,
    body: String
  ) async throws {
    try await withGateway(modules: [Shelf().module]) { gateway in
      let request = Self.get("/shelf/2", headers) + body
      let answer = try await Self.answers(request, 1, port: gateway.port)
      #expect(Self.bodies(answer) == ["2 fetched "])
    }
  }

  @Test func `requests are told apart from the bodies and pieces of others`() async throws {
    try await withGateway(modules: [Shelf().module]) { gateway in
      let inner = Self.get("/shelf/8")
      let outer = Self.get("/shelf/2", "Content-Length: \(inner.utf8.count)\r\n") + inner
      let client = try await RawClient.connect(to: gateway.port)
      var seen = ""
      let inPieces = [outer.prefix(30), outer.dropFirst(30).prefix(60), outer.dropFirst(90)]
      for (number, pieces) in [
        [Self.get("/shelf/4")], [outer], [Self.get("/shelf/6")], inPieces.map(String.init),
        [Self.get("/shelf/10")], ["GET /shelf/12 HT", "TP/1.1\r\nHost: x\r\n\r\n"],
        [Self.get("/shelf/14")],
      ].enumerated() {
        for piece in pieces { try await client.send(piece) }
        let more = await client.receive {
          Self.bodies(seen + String(decoding: $0, as: UTF8.self)).count > number
        }
        seen += String(decoding: more, as: UTF8.self)
      }
      let bodies = Self.bodies(seen)
      let numbers = ["4", "2", "6", "2", "10", "12", "14"]
      #expect(bodies.map { String($0.prefix { $0 != " " }) } == numbers)
      #expect(bodies[0] == "4 remembered " && bodies[1] == "2 fetched " && bodies[3] == bodies[1])
      // Later ones are memory's again as soon as the handler has written a response's end, which clients do not see.
      while !seen.hasSuffix("16 remembered \n") {
        try await client.send(Self.get("/shelf/16"))
        let more = await client.receive { $0.last == UInt8(ascii: "\n") }
        seen += String(decoding: more, as: UTF8.self)
      }
    }
  }

  @Test func `behind a request that cannot be followed all are the handler's`() async throws {
    try await withGateway(modules: [Shelf().module]) { gateway in
      let chunked = Self.get("/shelf/2", "Transfer-Encoding: chunked\r\n") + "1\r\nx\r\n0\r\n\r\n"
      let requests = Self.get("/shelf/4") + chunked + Self.get("/shelf/6")
      let answer = try await Self.answers(requests, 3, port: gateway.port)
      #expect(Self.bodies(answer) == ["4 remembered ", "2 fetched ", "6 fetched "])
    }
  }

  @Test func `what memory's handler throws is left to the other one`() async throws {
    try await withGateway(modules: [Shelf().module]) { gateway in
      let answer = try await Self.answers(Self.get("/shelf/x"), 1, port: gateway.port)
      #expect(Self.bodies(answer) == ["x fetched "])
    }
  }

  @Test func `a connection that rests is cut off, whichever way its requests took`() async throws {
    var limits = GatewayConfiguration.Limits.test
    limits.headTimeout = .milliseconds(50)
    try await withGateway(limits: limits, modules: [Shelf().module]) { gateway in
      for path in ["/shelf/2", "/shelf/1"] {
        let client = try await RawClient.connect(to: gateway.port)
        // On a busy machine the connection may be cut off before the write.
        _ = try? await client.send(Self.get(path))
        let bodies = Self.bodies(String(decoding: await client.receive(), as: UTF8.self))
        #expect(bodies.count <= 1)
      }
    }
  }
}
