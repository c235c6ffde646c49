import NIOHTTP2
import Testing

@testable import Gateway

@Suite("Whether an event loop works for one client alone")
struct LoopCompanyTests {
  @Test func `a client with one write after the other is alone after a while`() async throws {
    try await withGateway { gateway in
      let client = try await Caller(gateway.port)
      #expect(try await client.isAlone() == false)
      #expect(try await client.becomesAlone())
      #expect(try await client.isAlone())
      // Reads have nothing to wait for.
      #expect(try await client.isAlone("PartitionQuery") == false)
      #expect(try await client.isAlone())
    }
  }

  @Test func `a client is not alone beside a call of its own`() async throws {
    try await withGateway { gateway in
      let client = try await Caller(gateway.port)
      #expect(try await client.becomesAlone())
      try await client.hold()
      #expect(try await client.isAlone() == false)
      await gateway.service.nextHeld().respond(.success([]))
    }
  }

  @Test func `a client is not alone with calls that come together`() async throws {
    try await withGateway { gateway in
      let client = try await Caller(gateway.port)
      #expect(try await client.becomesAlone())
      // The last of them is, and where the socket is read in parts perhaps the last of a part.
      #expect(try await client.aloneOfTogether(8) < 8)
    }
  }

  @Test func `a request of another client on the same loop ends it`() async throws {
    try await withGateway { gateway in
      // Two loops: of three connections two share one.
      var clients: [Caller] = []
      for _ in 0..<3 { clients.append(try await Caller(gateway.port)) }
      var ended = false
      for first in clients {
        for second in clients where second !== first {
          _ = try await first.becomesAlone()
          _ = try await second.isAlone()
          if try await first.isAlone() == false { ended = true }
        }
      }
      #expect(ended)
    }
  }

  @Test func `another connection, and another kind, begin anew`() {
    let company = LoopCompany()
    let (first, second) = (Marker(), Marker())
    func read(_ connection: Marker?, _ count: Int) {
      for _ in 0..<count { company.noteRead(of: connection) }
    }
    read(first, LoopCompany.solitude - 1)
    #expect(!company.isAlone(first))
    read(first, 1)
    #expect(company.isAlone(first) && !company.isAlone(second))
    company.noteWork(for: first)
    #expect(company.isAlone(first))
    company.noteWork(for: second)
    #expect(!company.isAlone(first) && !company.isAlone(second))
    read(first, LoopCompany.solitude)
    #expect(company.isAlone(first))
    read(nil, 1)
    #expect(!company.isAlone(first))
  }
}

private final class Marker {}

/// A client that makes one call after the other.
private final class Caller {
  private let client: FrameClient
  private var next = 1

  init(_ port: Int) async throws { client = try await FrameClient.connect(to: port) }

  /// True if the loop served the call as that of its only client.
  func isAlone(_ method: String = "Rollback") async throws -> Bool {
    let stream = HTTP2StreamID(next)
    next += 2
    try await client.call(stream, method, [])
    return await client.answers([stream])[stream]?.messages == [[1]]
  }

  /// Makes calls at once; returns how many of them the loop served as that of its only client.
  func aloneOfTogether(_ count: Int) async throws -> Int {
    let streams = (0..<count).map { HTTP2StreamID(next + 2 * $0) }
    next += 2 * count
    try await client.send(
      streams.flatMap { stream -> [HTTP2Frame] in
        [.head(stream, "Rollback", headers: []), .data(stream, framed([]), endStream: true)]
      }
    )
    return await client.answers(streams).values.count { $0.messages == [[1]] }
  }

  func becomesAlone() async throws -> Bool {
    for _ in 0..<LoopCompany.solitude where try await isAlone() { return true }
    return try await isAlone()
  }

  /// Makes a call that is not answered yet.
  func hold() async throws {
    try await client.call(HTTP2StreamID(next), "UpdateDocument", [])
    next += 2
  }
}
