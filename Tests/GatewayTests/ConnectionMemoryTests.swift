import BaseRuntime
import NIOCore
import NIOHTTP2
import Testing

@testable import Gateway

/// Tests of the memory that clients make the server hold, and of its release.
@Suite struct ConnectionMemoryTests {
  private static let resourceExhausted = 8

  /// A small ledger: 300 KB for callers without credentials, 3 MB for all.
  private static var memory: ByteLedger.Limits {
    var limits = ByteLedger.Limits()
    limits.poolBytes = 3_000_000
    limits.anonymousPoolBytes = 300_000
    return limits
  }

  private static func isEmpty(_ gateway: RunningGateway) -> Bool {
    let ledger = gateway.gateway.ledger
    return ledger.poolBytes == 0
      && ByteLedger.Kind.allCases.allSatisfy { ledger.bytes(of: $0) == 0 }
  }

  /// The beginning of a call's message that does not end.
  private static func unfinished(_ stream: HTTP2StreamID, _ bytes: Int) -> [HTTP2Frame] {
    let message = framed([UInt8](repeating: 7, count: bytes * 2)).prefix(bytes)
    return [.head(stream, "Commit")]
      + stride(from: 0, to: bytes, by: 16_000).map {
        .data(stream, Array(message[$0..<min($0 + 16_000, bytes)]))
      }
  }

  /// Connections with more unfinished requests than there is room for.
  private static func fill(_ gateway: RunningGateway) async throws -> [FrameClient] {
    var clients: [FrameClient] = []
    for _ in 0..<6 {
      let client = try await FrameClient.connect(to: gateway.port)
      try await client.send(unfinished(1, 60_000))
      clients.append(client)
    }
    return clients
  }

  @Test func `unfinished requests without credentials have a bound for all connections`()
    async throws
  {
    try await withGateway(memory: Self.memory) { gateway in
      let clients = try await Self.fill(gateway)
      #expect(await first(of: clients) { await $0.answer().status } == Self.resourceExhausted)
      #expect(gateway.gateway.ledger.poolBytes <= 300_000)
      // What is within the allowance goes on.
      let other = try await FrameClient.connect(to: gateway.port)
      try await other.call(1, "GetDocument", [UInt8](repeating: 1, count: 4_000))
      #expect(await other.answer().status == 0)
      for client in clients + [other] { try? await client.close() }
      await eventually { Self.isEmpty(gateway) }
    }
  }

  @Test func `one large request without credentials is served`() async throws {
    var memory = ByteLedger.Limits()
    memory.anonymousPoolBytes = 64 << 20
    try await withGateway(memory: memory) { gateway in
      let client = try await FrameClient.connect(to: gateway.port)
      let message = [UInt8](repeating: 3, count: 10 << 20)
      let bytes = framed(message)
      try await client.send([.head(1, "Commit")])
      // As far as the windows go; the client's layer keeps the rest until they are widened.
      for start in stride(from: 0, to: bytes.count, by: 16_000) {
        let end = min(start + 16_000, bytes.count)
        try await client.send([.data(1, Array(bytes[start..<end]), endStream: end == bytes.count)])
      }
      let seen = await client.events { if case .headers = $0 { true } else { false } }
      guard case .headers(_, let headers, _)? = seen.last else {
        Issue.record("no answer")
        return
      }
      #expect(headers.first(name: "grpc-status") == nil)
      try? await client.close()
      await eventually { Self.isEmpty(gateway) }
    }
  }

  @Test func `credentials find room where callers without them do not`() async throws {
    try await withGateway(memory: Self.memory) { gateway in
      let clients = try await Self.fill(gateway)
      #expect(await first(of: clients) { await $0.answer().status } == Self.resourceExhausted)
      let known = try await FrameClient.connect(to: gateway.port)
      let message = framed([UInt8](repeating: 7, count: 60_000))
      try await known.send([.head(1, "GetDocument", headers: [("authorization", "Bearer good")])])
      for start in stride(from: 0, to: message.count, by: 16_000) {
        let end = min(start + 16_000, message.count)
        let part = Array(message[start..<end])
        try await known.send([.data(1, part, endStream: end == message.count)])
      }
      let answer = await known.events { if case .headers = $0 { true } else { false } }
      guard case .headers(_, let headers, _)? = answer.last else {
        Issue.record("no answer")
        return
      }
      #expect(headers.first(name: "grpc-status") == nil)
    }
  }

  @Test func `header blocks that do not end count`() async throws {
    try await withGateway(memory: Self.memory) { gateway in
      var clients: [RawClient] = []
      let part = [UInt8](repeating: 0, count: 16_000)
      for _ in 0..<8 {
        let client = try await RawClient.connect(to: gateway.port)
        let head = RawClient.frame(type: 1, flags: 0, stream: 1, part)
        let rest = (0..<2).flatMap { _ in RawClient.frame(type: 9, flags: 0, stream: 1, part) }
        // The limit for headers is in force once it is acknowledged.
        let acknowledgement = RawClient.frame(type: 4, flags: 1, stream: 0, [])
        let greeting = RawClient.preface + RawClient.settings + acknowledgement
        try? await client.send(greeting + head + rest)
        clients.append(client)
      }
      let ended = await first(of: clients) { RawClient.frames(await $0.receive()).last?.payload }
      #expect(ended??.suffix(4) == [0, 0, 0, 11])
      for client in clients { try? await client.close() }
      await eventually { Self.isEmpty(gateway) }
    }
  }

  @Test func `answers that nobody reads have a bound`() async throws {
    try await withGateway(memory: Self.memory) { gateway in
      let client = try await FrameClient.connect(
        to: gateway.port,
        settings: [HTTP2Setting(parameter: .initialWindowSize, value: 0)]
      )
      for number in 0..<10 {
        try await client.call(HTTP2StreamID(1 + 2 * number), "RunQuery", Array("9000".utf8))
      }
      let seen = await client.events {
        if case .headers(_, let headers, endStream: true) = $0 {
          headers.first(name: "grpc-status") == "8"
        } else {
          false
        }
      }
      #expect(!seen.isEmpty)
      #expect(gateway.gateway.ledger.poolBytes <= 300_000)
      try? await client.close()
      await eventually { Self.isEmpty(gateway) }
    }
  }

  @Test func `requests over HTTP count, and those for which there is no room hear so`() async throws
  {
    try await withGateway(memory: Self.memory) { gateway in
      let path = "/v1/projects/p/databases"
      let half = "POST \(path) HTTP/1.1\r\nHost: x\r\nContent-Length: 200000\r\n\r\n"
      var clients: [RawClient] = []
      for _ in 0..<8 {
        let client = try await RawClient.connect(to: gateway.port)
        try await client.send(half + String(repeating: " ", count: 80_000))
        clients.append(client)
      }
      let refused = await first(of: clients) { client in
        String(decoding: await client.receive { $0.count > 20 }, as: UTF8.self)
      }
      #expect(refused?.hasPrefix("HTTP/1.1 429") == true)
      for client in clients { try? await client.close() }
      await eventually { Self.isEmpty(gateway) }
      let again =
        "POST \(path) HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}"
      #expect(try await RawClient.exchange(again, port: gateway.port).hasPrefix("HTTP/1.1 200"))
    }
  }

  @Test func `heads of HTTP requests that do not end count`() async throws {
    try await withGateway(memory: Self.memory) { gateway in
      var clients: [RawClient] = []
      for _ in 0..<10 {
        let client = try await RawClient.connect(to: gateway.port)
        try? await client.send(
          "GET / HTTP/1.1\r\nX: \(String(repeating: "x", count: 30_000))\r\nY: "
        )
        try? await client.send(String(repeating: "y", count: 25_000))
        clients.append(client)
      }
      #expect(await first(of: clients) { await $0.receive().isEmpty } == true)
      for client in clients { try? await client.close() }
      await eventually { Self.isEmpty(gateway) }
    }
  }
}

/// Returns the first value that the body gives for one of those clients; the others are not waited
/// for.
func first<Client: Sendable, Value: Sendable>(
  of clients: [Client],
  _ body: @escaping @Sendable (Client) async -> Value
) async -> Value? {
  await withTaskGroup(of: Value.self) { group in
    for client in clients { group.addTask { await body(client) } }
    defer { group.cancelAll() }
    return await group.next()
  }
}
