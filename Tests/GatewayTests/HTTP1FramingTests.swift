import BaseStatus
import HTTPTypes
import NIOCore
import NIOHTTP2
import ServiceModule
import Testing

@testable import Gateway

/// Tests of the end of responses and requests of HTTP/1, on raw sockets.
@Suite struct HTTP1FramingTests {
  /// Routes of every kind of response.
  private static var kinds: ServiceModule {
    var module = ServiceModule("kinds")
    func route(
      _ path: RoutePattern,
      _ methods: [HTTPRequest.Method] = [.get],
      _ answer: @escaping HTTPRoute.Handler
    ) {
      module.routes.append(HTTPRoute(methods, path, for: .clients, handler: answer))
    }
    route("/kinds/bytes") { _ in .text("bytes\n") }
    route("/kinds/stream") { _ in
      ServiceResponse(body: .stream { try await $0.write(Array("stream\n".utf8)) })
    }
    route("/kinds/measured") { _ in
      ServiceResponse(
        headers: [.contentLength: "9"],
        body: .stream { try await $0.write(Array("measured\n".utf8)) }
      )
    }
    route("/kinds/own", [.get, .head]) { _ in .text("own\n", status: .notFound) }
    route("/kinds/denied") { _ in throw ServiceError(.permissionDenied, "No.") }
    route("/kinds/unmodified") { _ in ServiceResponse(status: .notModified) }
    route("/kinds/empty") { _ in ServiceResponse(status: .noContent) }
    route("/kinds/closing") { _ in
      ServiceResponse(headers: [.connection: "close"], body: .bytes(Array("closing\n".utf8)))
    }
    route("/kinds/echo", [.post]) { request in
      ServiceResponse(body: .bytes(try await request.body.collect(upTo: 1_000)))
    }
    return module
  }

  private static let paths = [
    "/", "/nowhere", "/metrics", "/kinds/bytes", "/kinds/stream", "/kinds/measured", "/kinds/own",
    "/kinds/denied", "/kinds/unmodified", "/v1/projects/p/databases/(default)/documents/c/d",
  ]

  private static func exchange(_ request: String) async throws -> String {
    try await withGateway(modules: [kinds]) { gateway in
      try await RawClient.exchange(request, port: gateway.port)
    }
  }

  /// A request without a body; a host that is empty is left out.
  private static func request(
    _ method: String,
    _ path: String,
    version: String = "1.1",
    _ fields: String...
  ) -> String {
    let lines = ["\(method) \(path) HTTP/\(version)"] + fields
    return lines.joined(separator: "\r\n") + "\r\n\r\n"
  }

  // MARK: HEAD

  @Test(arguments: paths)
  func `nothing follows the head of a response to HEAD`(path: String) async throws {
    let answer = try await Self.exchange(
      Self.request("HEAD", path, "Host: localhost")
        + Self.request("GET", "/healthz", "Host: localhost", "Connection: close")
    )
    let parts = answer.split(separator: "\r\n\r\n", maxSplits: 1)
    try #require(parts.count == 2)
    #expect(parts[0].hasPrefix("HTTP/1.1 "))
    #expect(parts[1].hasPrefix("HTTP/1.1 200 OK\r\n"), "\(path): \(parts[1].prefix(60))")
    #expect(answer.hasSuffix("\r\n\r\nok\n"))
  }

  @Test(arguments: paths)
  func `a response to HEAD has the length of the one to GET`(path: String) async throws {
    let fields = ["Host: localhost", "Connection: close"]
    func length(_ method: String) async throws -> String? {
      let answer = try await Self.exchange(Self.request(method, path, fields[0], fields[1]))
      return answer.split(separator: "\r\n")
        .first { $0.lowercased().hasPrefix("content-length:") }.map(String.init)
    }
    // Metrics grow with each request.
    if path != "/metrics" { #expect(try await length("HEAD") == length("GET")) }
  }

  @Test func `a response to HEAD has no DATA with bytes`() async throws {
    try await withGateway(modules: [Self.kinds]) { gateway in
      let client = try await FrameClient.connect(to: gateway.port)
      for (index, path) in Self.paths.enumerated() {
        let id = HTTP2StreamID(2 * index + 1)
        try await client.send([.request(id, "HEAD", path, endStream: true)])
        let answer = await client.answer(id)
        #expect(answer.headers.first(name: ":status") != nil)
        #expect(answer.data.isEmpty, "\(path)")
        #expect(answer.reset == nil)
      }
    }
  }

  @Test(arguments: ["GET", "HEAD"])
  func `a response without content has no length`(method: String) async throws {
    let fields = ["Host: x", "Connection: close"]
    let answer = try await Self.exchange(Self.request(method, "/kinds/empty", fields[0], fields[1]))
    #expect(answer.hasPrefix("HTTP/1.1 204 No Content\r\n") && answer.hasSuffix("\r\n\r\n"))
    #expect(!answer.lowercased().contains("content-length"))
    try await withGateway(modules: [Self.kinds]) { gateway in
      let client = try await FrameClient.connect(to: gateway.port)
      try await client.send([.request(1, method, "/kinds/empty", endStream: true)])
      let headers = await client.answer().headers
      #expect(headers.first(name: ":status") == "204")
      #expect(headers.first(name: "content-length") == nil)
    }
  }

  // MARK: HTTP/1.0

  @Test func `a client of HTTP/1.0 gets no chunks, and the end of the connection`() async throws {
    for fields in [["Host: x"], ["Connection: keep-alive"], []] {
      let lines = ["GET /kinds/stream HTTP/1.0"] + fields
      let answer = try await Self.exchange(lines.joined(separator: "\r\n") + "\r\n\r\n")
      #expect(answer.hasPrefix("HTTP/1.0 200 OK\r\n"))
      #expect(answer.lowercased().contains("\r\nconnection: close\r\n"))
      #expect(!answer.lowercased().contains("chunked"))
      #expect(answer.hasSuffix("\r\n\r\nstream\n"))
    }
  }

  @Test func `a client of HTTP/1.0 keeps a connection if it asks to`() async throws {
    let keeping = Self.request("GET", "/kinds/bytes", version: "1.0", "Connection: keep-alive")
    let ending = Self.request("GET", "/healthz", version: "1.0")
    let answer = try await Self.exchange(keeping + ending + keeping)
    let parts = answer.components(separatedBy: "HTTP/1.0 200 OK\r\n")
    #expect(parts.count == 3)
    #expect(answer.lowercased().contains("\r\nconnection: keep-alive\r\n"))
    #expect(answer.hasSuffix("\r\n\r\nok\n"))
  }

  // MARK: The last request

  @Test func `what comes behind the last request is not answered`() async throws {
    let last = Self.request("GET", "/kinds/bytes", "Host: x", "Connection: close")
    let more = Self.request("GET", "/kinds/bytes", "Host: x")
    let answer = try await Self.exchange(last + more + more)
    #expect(answer.components(separatedBy: "HTTP/1.1 200 OK").count == 2)
    #expect(answer.lowercased().contains("\r\nconnection: close\r\n"))
  }

  @Test(arguments: ["close", "Close", "close, TE", "TE, close"])
  func `a connection ends however its client says so`(token: String) async throws {
    let answer = try await Self.exchange(
      Self.request("GET", "/kinds/stream", "Host: x", "Connection: \(token)")
    )
    #expect(answer.hasSuffix("stream\n\r\n0\r\n\r\n"))
  }

  @Test func `a response that ends the connection does`() async throws {
    let answer = try await Self.exchange(Self.request("GET", "/kinds/closing", "Host: x"))
    #expect(answer.hasSuffix("\r\n\r\nclosing\n"))
  }

  @Test(arguments: ["/nowhere", "/kinds/echo"], ["Connection: close", "Connection: keep-alive"])
  func `a large body that is refused is read to its end, and the refusal arrives`(
    path: String,
    connection: String
  ) async throws {
    try await withGateway(modules: [Self.kinds]) { gateway in
      let client = try await RawClient.connect(to: gateway.port)
      let size = 8 << 20
      try await client.send(
        Self.request("POST", path, "Host: x", "Content-Length: \(size)", connection)
      )
      try await client.send([UInt8](repeating: 0x78, count: size))
      let bytes = await client.receive { $0.suffix(2) == [0x7D, 0x7D] }
      let answer = String(decoding: bytes, as: UTF8.self)
      let status = path == "/nowhere" ? 404 : 413
      #expect(answer.hasPrefix("HTTP/1.1 \(status) "))
      #expect(answer.contains("\"code\":\(status)"))
      if connection == "Connection: close" { #expect(await client.receive().isEmpty) }
    }
  }

  // MARK: Faults

  private static let faults: [(fields: [String], status: Int)] = [
    ([], 400), (["Host: a", "Host: b"], 400), (["Host: a", "host: a"], 400), (["Host: a b"], 400),
    (["Host: a/b"], 400), (["Host: user@a"], 400), (["Host: a", "Transfer-Encoding: gzip"], 501),
    (["Host: a", "Transfer-Encoding: gzip, chunked"], 501),
  ]

  @Test func `a request of which two servers could think different things is refused`() async throws
  {
    for (fields, status) in Self.faults {
      let lines = (["GET /healthz HTTP/1.1"] + fields).joined(separator: "\r\n")
      let next = Self.request("GET", "/healthz", "Host: x")
      let answer = try await Self.exchange(lines + "\r\n\r\n" + next)
      #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(fields)")
      #expect(answer.contains("\"code\":\(status)"))
      #expect(answer.lowercased().contains("\r\nconnection: close\r\n"))
      #expect(answer.components(separatedBy: "HTTP/1.1 ").count == 2)
    }
  }

  @Test func `a fault comes behind the responses to the requests before it`() async throws {
    let answer = try await Self.exchange(
      Self.request("GET", "/kinds/stream", "Host: x") + Self.request("GET", "/healthz")
    )
    #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n"))
    #expect(answer.contains("stream\n\r\n0\r\n\r\nHTTP/1.1 400 Bad Request\r\n"))
  }

  @Test func `HTTP/1.0 has no transfer encodings and needs no host`() async throws {
    let coded = Self.request("POST", "/kinds/echo", version: "1.0", "Transfer-Encoding: chunked")
    #expect(try await Self.exchange(coded + "1\r\na\r\n0\r\n\r\n").hasPrefix("HTTP/1.1 400 "))
    let bare = Self.request("GET", "/healthz", version: "1.0")
    #expect(try await Self.exchange(bare).hasSuffix("\r\n\r\nok\n"))
  }

  @Test(arguments: ["zz\r\n", "3\r\nabcd\r\n", "-1\r\n", "1\r\na\r\nG\r\n"])
  func `chunks that are none are the client's fault`(body: String) async throws {
    let head = Self.request("POST", "/kinds/echo", "Host: x", "Transfer-Encoding: chunked")
    let answer = try await Self.exchange(head + body + "and more of it")
    #expect(answer.hasPrefix("HTTP/1.1 400 Bad Request\r\n"))
    #expect(answer.contains("\"status\":\"INVALID_ARGUMENT\""))
    #expect(answer.lowercased().contains("\r\nconnection: close\r\n"))
    #expect(answer.components(separatedBy: "HTTP/1.1 ").count == 2)
  }

  @Test func `a refusal that nobody reads a body for is the only response`() async throws {
    let head = Self.request("POST", "/nowhere", "Host: x", "Transfer-Encoding: chunked")
    let answer = try await Self.exchange(head + "zz\r\n")
    #expect(answer.hasPrefix("HTTP/1.1 40"))
    #expect(answer.components(separatedBy: "HTTP/1.1 ").count == 2)
  }

  // MARK: HTTP/2

  @Test(arguments: [
    [("host", "elsewhere")], [("host", "localhost"), ("host", "localhost")], [(":path", "/x")],
  ])
  func `an HTTP/2 request of two hosts is reset`(headers: [(String, String)]) async throws {
    try await withGateway { gateway in
      let client = try await FrameClient.connect(to: gateway.port)
      try await client.send([.request(1, "GET", "/healthz", headers: headers, endStream: true)])
      #expect(await client.answer().reset == .protocolError)
      let same = [("host", "LOCALHOST")]
      try await client.send([.request(3, "GET", "/healthz", headers: same, endStream: true)])
      #expect(await client.answer(3).headers.first(name: ":status") == "200")
    }
  }
}

extension String {
  /// The parts between a separator, empty ones too.
  fileprivate func components(separatedBy separator: String) -> [Substring] {
    var parts: [Substring] = []
    var rest = self[...]
    while let range = rest.firstRange(of: separator) {
      parts.append(rest[..<range.lowerBound])
      rest = rest[range.upperBound...]
    }
    return parts + [rest]
  }
}
