import NIOCore
import ServiceModule
import Testing

@testable import Gateway

/// A service that joins the program as a module, and nothing else.
@Suite struct GuestBookTests {
  private static func greet(
    _ path: String,
    _ body: String,
    headers: String = "Authorization: Bearer guest\r\n",
    port: Int
  ) async throws -> String {
    try await RawClient.exchange(
      "POST \(path) HTTP/1.1\r\nHost: x\r\n\(headers)Content-Length: \(body.utf8.count)\r\n"
        + "Connection: close\r\n\r\n\(body)",
      port: port
    )
  }

  @Test func `its route, method, task and figure are served`() async throws {
    let book = GuestBook()
    try await withGateway(modules: [book.module]) { gateway in
      let answer = try await Self.greet(
        "/v1/projects/p/guests/an%C3%A1:greet",
        "hello",
        port: gateway.port
      )
      #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n"))
      #expect(answer.hasSuffix("\r\n\r\n{\"p\":\"aná: hello\"}"))
      await book.firstGuest()
      let client = try await FrameClient.connect(to: gateway.port)
      try await client.call(1, "/test.guests.v1.GuestBook/Count", [])
      #expect(await client.answer(1).data == Array("\0\0\0\0\u{1}1".utf8))
      try await client.send([.request(3, "GET", "/metrics", endStream: true)])
      let metrics = String(decoding: await client.answer(3).data, as: UTF8.self)
      #expect(metrics.contains("# TYPE brasa_greetings_total counter\nbrasa_greetings_total 1.0\n"))
      #expect(metrics.contains("brasa_calls_total{method=\"Count\",code=\"OK\"} 1\n"))
    }
  }

  @Test func `its errors are the gateway's to write, and its bounds are kept`() async throws {
    try await withGateway(modules: [GuestBook().module]) { gateway in
      let path = "/v1/projects/p/guests/g:greet"
      let anonymous = try await Self.greet(path, "hello", headers: "", port: gateway.port)
      #expect(anonymous.hasPrefix("HTTP/1.1 401 "))
      #expect(anonymous.contains("\"status\":\"UNAUTHENTICATED\""))
      let long = String(repeating: "x", count: 1_001)
      let large = try await Self.greet(path, long, port: gateway.port)
      #expect(large.hasPrefix("HTTP/1.1 413 "))
      let unknown = try await Self.greet("/v1/projects/p/guests/g", "", port: gateway.port)
      #expect(unknown.hasPrefix("HTTP/1.1 404 "))
    }
  }

  @Test func `what it has in common with another service stops the start`() async throws {
    var registry = ServiceModule("registry")
    registry.routes = GuestBook().module.routes
    #expect(
      await Self.conflict(of: registry)
        == "Two routes are the same: POST /v1/projects/{project}/guests/{guest}:greet of guest book, "
        + "POST /v1/projects/{project}/guests/{guest}:greet of registry."
    )
    registry.routes = []
    registry.methods = GuestBook().module.methods
    #expect(
      await Self.conflict(of: registry)
        == "Two methods are the same: /test.guests.v1.GuestBook/Count of guest book, of registry."
    )
  }

  /// Returns the error of a gateway that is to serve another module beside the guest book; nil if
  /// it starts.
  private static func conflict(of module: ServiceModule) async -> String? {
    do {
      try await withGateway(modules: [GuestBook().module, module], nothing)
      return nil
    } catch {
      return (error as? RouteConflict)?.description ?? "\(error)"
    }
  }

  private static func nothing(_ gateway: RunningGateway) async throws {}
}
