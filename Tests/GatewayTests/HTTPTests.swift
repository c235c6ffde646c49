import FirestoreModel
import NIOCore
import NIOHTTP2
import ServiceModule
import Testing

@testable import Gateway

@Suite struct HTTPTests {
  @Test(arguments: [("/", "Ok\n"), ("/healthz", "ok\n")])
  func `the server says that it is there`(path: String, body: String) async throws {
    try await withGateway { gateway in
      let answer = try await RawClient.exchange(
        "GET \(path) HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
        port: gateway.port
      )
      #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n"))
      #expect(answer.hasSuffix("\r\n\r\n" + body))
    }
  }

  @Test func `requests follow each other on one connection`() async throws {
    try await withGateway { gateway in
      let client = try await RawClient.connect(to: gateway.port)
      let request = "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"
      try await client.send(request + request)
      let bytes = await client.receive {
        String(decoding: $0, as: UTF8.self).components("\r\n\r\nok\n") == 3
      }
      #expect(String(decoding: bytes, as: UTF8.self).components("HTTP/1.1 200 OK") == 3)
    }
  }

  @Test func `an unknown path is a JSON error`() async throws {
    try await withGateway { gateway in
      let answer = try await RawClient.exchange(
        "GET /nowhere HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
        port: gateway.port
      )
      #expect(answer.hasPrefix("HTTP/1.1 404 Not Found\r\n"))
      #expect(answer.contains("application/json"))
      #expect(answer.contains("\"error\""))
      #expect(answer.contains("x-request-id: "))
    }
  }

  @Test func `a preflight allows what the page asks for`() async throws {
    try await withGateway { gateway in
      let answer = try await RawClient.exchange(
        """
        OPTIONS /v1/projects/p/databases/(default)/documents:commit HTTP/1.1\r
        Host: x\r
        Origin: http://localhost:5000\r
        Access-Control-Request-Method: POST\r
        Access-Control-Request-Headers: authorization,x-goog-api-client\r
        Connection: close\r
        \r

        """,
        port: gateway.port
      )
      #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n"))
      #expect(answer.contains("Access-Control-Allow-Origin: http://localhost:5000\r\n"))
      #expect(answer.contains("Access-Control-Allow-Headers: authorization,x-goog-api-client\r\n"))
      #expect(gateway.service.contexts.isEmpty)
    }
  }

  @Test func `an error keeps its cross-origin headers`() async throws {
    try await withGateway { gateway in
      let answer = try await RawClient.exchange(
        "GET /nowhere HTTP/1.1\r\nHost: x\r\nOrigin: http://a\r\nConnection: close\r\n\r\n",
        port: gateway.port
      )
      #expect(answer.hasPrefix("HTTP/1.1 404"))
      #expect(answer.contains("Access-Control-Allow-Origin: http://a\r\n"))
    }
  }

  @Test func `a body beyond the API's limit is an invalid argument, in both versions`() async throws
  {
    var limits = GatewayConfiguration.Limits.test
    limits.messageBytes = 1_000
    try await withGateway(limits: limits) { gateway in
      let path = "/v1/projects/p/databases/(default)/documents:commit"
      let body = String(repeating: "x", count: 2_000)
      let answer = try await RawClient.exchange(
        "POST \(path) HTTP/1.1\r\nHost: x\r\nContent-Length: 2000\r\nConnection: close\r\n\r\n\(body)",
        port: gateway.port
      )
      #expect(answer.hasPrefix("HTTP/1.1 400 "))
      #expect(answer.contains("Request payload size exceeds the limit: 1000 bytes."))
      let client = try await FrameClient.connect(to: gateway.port)
      try await client.send([
        .request(1, "POST", path), .data(1, Array(body.utf8), endStream: true),
      ])
      #expect(await client.answer().headers.first(name: ":status") == "400")
    }
  }

  @Test(arguments: [0, 2, 4], [false, true])
  func `a body of another length than announced is reset`(length: Int, isCut: Bool) async throws {
    try await withGateway { gateway in
      func head(_ stream: UInt32, _ length: Int) -> [UInt8] {
        let path = "/v1/projects/p/databases"
        let fields = [(":method", "POST"), (":scheme", "http"), (":path", path)]
        return RawClient.headers(stream: stream, fields + [("content-length", "\(length)")])
      }
      func data(_ stream: UInt32, _ text: String, isLast: Bool = true) -> [UInt8] {
        RawClient.frame(type: 0, flags: isLast ? 1 : 0, stream: stream, Array(text.utf8))
      }
      var reader = try await FrameReader(port: gateway.port)
      let body = isCut ? data(1, "[", isLast: false) + data(1, "1]") : data(1, "[1]")
      try await reader.client.send(head(1, length) + body)
      let seen = await reader.frames { $0.type == 3 }
      #expect(seen.last?.stream == 1)
      #expect(seen.last?.payload == [0, 0, 0, 1])
      #expect(!seen.contains { $0.isData })
      try await reader.client.send(head(3, 3) + data(3, "[1]"))
      let answer = await reader.frames { $0.isData && $0.stream == 3 }
      #expect(answer.data(of: 3).starts(with: Array("{\"POST\"".utf8)))
    }
  }

  @Test func `HTTP/2 requests reach the same routes`() async throws {
    try await withGateway { gateway in
      let client = try await FrameClient.connect(to: gateway.port)
      try await client.send([.request(1, "GET", "/healthz", endStream: true)])
      let answer = await client.answer()
      #expect(answer.headers.first(name: ":status") == "200")
      #expect(answer.data == Array("ok\n".utf8))
    }
  }

  @Test(arguments: [
    [("connection", "close")], [("transfer-encoding", "chunked")], [("Upper", "case")],
    [(":path", "/twice")], [("x-field", "a\r\nb")],
  ])
  func `a malformed HTTP/2 request is reset`(headers: [(String, String)]) async throws {
    try await withGateway { gateway in
      let client = try await FrameClient.connect(to: gateway.port)
      try await client.send([.request(1, "GET", "/healthz", headers: headers, endStream: true)])
      #expect(await client.answer().reset == .protocolError)
      try await client.send([.request(3, "GET", "/healthz", endStream: true)])
      #expect(await client.answer(3).headers.first(name: ":status") == "200")
    }
  }

  @Test func `a head that never ends is cut off`() async throws {
    var limits = GatewayConfiguration.Limits.test
    limits.headTimeout = .milliseconds(50)
    try await withGateway(limits: limits) { gateway in
      let client = try await RawClient.connect(to: gateway.port)
      // On a busy machine the connection may be cut off before the write.
      _ = try? await client.send("GET /healthz HTTP/1.1\r\nHost: ")
      #expect(await client.receive().isEmpty)
    }
  }

  @Test func `a body that never ends is cut off, in both versions`() async throws {
    var limits = GatewayConfiguration.Limits.test
    limits.bodyTimeout = .milliseconds(50)
    try await withGateway(limits: limits) { gateway in
      let path = "/v1/projects/p/databases/(default)/documents:commit"
      let http1 = try await RawClient.connect(to: gateway.port)
      try await http1.send("POST \(path) HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nabc")
      #expect(await http1.receive().isEmpty)
      let http2 = try await FrameClient.connect(to: gateway.port)
      try await http2.send([.request(1, "POST", path), .data(1, [1])])
      #expect(await http2.answer().reset == .cancel)
    }
  }

  private static func expecting(_ path: String, _ length: Int) -> String {
    "POST \(path) HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer guest\r\n"
      + "Content-Length: \(length)\r\nExpect: 100-continue\r\n\r\n"
  }

  @Test func `a client that waits is told to send its body`() async throws {
    try await withGateway(modules: [GuestBook().module]) { gateway in
      let client = try await RawClient.connect(to: gateway.port)
      for _ in 0..<2 {
        try await client.send(Self.expecting("/v1/projects/p/guests/g:greet", 5))
        let told = await client.receive { $0.suffix(4) == Array("\r\n\r\n".utf8)[...] }
        #expect(String(decoding: told, as: UTF8.self) == "HTTP/1.1 100 Continue\r\n\r\n")
        try await client.send("hello")
        let answer = await client.receive { $0.last == UInt8(ascii: "}") }
        #expect(String(decoding: answer, as: UTF8.self).hasPrefix("HTTP/1.1 200 OK\r\n"))
      }
      // A client that does not wait gets nothing before the response.
      let path = "/v1/projects/p/guests/g:greet"
      try await client.send(Self.expecting(path, 5) + "hello")
      let answer = await client.receive { $0.last == UInt8(ascii: "}") }
      #expect(String(decoding: answer, as: UTF8.self).contains("\r\n\r\n{\"p\":\"g: hello\"}"))
    }
  }

  @Test func `a connection ends with the refusal of a body that may come`() async throws {
    try await withGateway { gateway in
      let answer = try await RawClient.exchange(
        Self.expecting("/nowhere", 5),
        port: gateway.port
      )
      #expect(answer.hasPrefix("HTTP/1.1 404 Not Found\r\n"))
      #expect(answer.lowercased().contains("\r\nconnection: close\r\n"))
      #expect(!answer.contains("HTTP/1.1 400"))
    }
  }

  /// A service whose response waits for what never comes.
  private static func silence(_ arrived: AsyncStream<Void>.Continuation) -> ServiceModule {
    let (never, source) = AsyncStream<Void>.makeStream()
    var module = ServiceModule("silence")
    module.routes = [
      HTTPRoute(.get, "/silence", for: .clients) { [never, source] _ in
        arrived.yield()
        for await _ in never {}
        source.finish()
        return .text("")
      }
    ]
    return module
  }

  @Test func `a handler that waits for another server does not hold up the stop`() async throws {
    let (arrivals, arrived) = AsyncStream<Void>.makeStream()
    try await withGateway(modules: [Self.silence(arrived)]) { gateway in
      let client = try await RawClient.connect(to: gateway.port)
      try await client.send("GET /silence HTTP/1.1\r\nHost: x\r\n\r\n")
      for await _ in arrivals { break }
    }
  }

  @Test func `metrics count calls by method and code`() async throws {
    try await withGateway { gateway in
      let client = try await FrameClient.connect(to: gateway.port)
      try await client.call(1, "GetDocument", [1])
      try await client.call(3, "GetDocument", [1])
      try await client.call(5, "DeleteDocument", [1])
      _ = await client.answers([1, 3, 5])
      try await client.send([.request(7, "GET", "/metrics", endStream: true)])
      let text = String(decoding: await client.answer(7).data, as: UTF8.self)
      #expect(text.contains("brasa_calls_total{method=\"GetDocument\",code=\"OK\"} 2\n"))
      #expect(text.contains("brasa_calls_total{method=\"DeleteDocument\",code=\"NOT_FOUND\"} 1\n"))
      #expect(text.contains("brasa_call_duration_seconds_count{method=\"GetDocument\"} 2\n"))
      #expect(text.contains("brasa_connections 1"))
    }
  }
}

extension String {
  /// Returns the number of parts that the separator leaves.
  fileprivate func components(_ separator: String) -> Int {
    var count = 1
    var rest = self[...]
    while let range = rest.firstRange(of: separator) {
      count += 1
      rest = rest[range.upperBound...]
    }
    return count
  }
}
