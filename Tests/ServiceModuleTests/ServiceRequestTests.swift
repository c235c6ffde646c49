import Access
import BaseStatus
import Gzip
import HTTPTypes
import Logging
import ServiceModule
import Testing

/// A request's parts as handlers see them.
struct ServiceRequestTests {
  private static func request(_ path: String?, _ parts: [[UInt8]] = []) -> ServiceRequest {
    ServiceRequest(
      head: HTTPRequest(method: .get, scheme: "http", authority: "x", path: path),
      parameters: [:],
      rest: [],
      context: CallContext(requestID: "1", authorization: nil, isSecure: false),
      address: "",
      isHTTP2: false,
      logger: Logger(label: "test"),
      body: ServiceBody(Self.parts(parts))
    )
  }

  private static func parts(_ parts: [[UInt8]]) -> AsyncThrowingStream<[UInt8], any Error> {
    AsyncThrowingStream { continuation in
      for part in parts { continuation.yield(part) }
      continuation.finish()
    }
  }

  @Test(
    arguments: [
      ("/a/b?c=d?e", "/a/b", "c=d?e"), ("/a", "/a", nil), ("/a?", "/a", ""), ("/?x#y", "/", "x"),
      ("/a#b?c", "/a", nil), (nil, "/", nil),
    ] as [(String?, String, String?)]
  )
  func `path and query are cut`(text: String?, path: String, query: String?) {
    let request = Self.request(text)
    #expect(request.path == path)
    #expect(request.query == query)
  }

  @Test func `a body is collected up to its bound`() async throws {
    let parts: [[UInt8]] = [[1, 2], [], [3]]
    #expect(try await Self.request("/", parts).body.collect(upTo: 3) == [1, 2, 3])
    #expect(try await Self.request("/").body.collect(upTo: 0).isEmpty)
    await #expect(throws: ServiceBody.TooLarge.self) {
      try await Self.request("/", parts).body.collect(upTo: 2)
    }
  }

  @Test func `a packed body is expanded up to the bound`() async throws {
    let text = [UInt8](repeating: UInt8(ascii: "a"), count: 5_000)
    let packed = GzipWriter.packed(text)
    let parts = [Array(packed.prefix(7)), Array(packed.dropFirst(7))]
    #expect(try await Self.request("/", parts).collectUnpackedText(upTo: 5_000) == text)
    #expect(try await Self.request("/", [[1, 2]]).collectUnpackedText(upTo: 2) == [1, 2])
    await #expect(throws: ServiceBody.TooLarge.self) {
      try await Self.request("/", parts).collectUnpackedText(upTo: 4_999)
    }
    await #expect(throws: ServiceError.self) {
      try await Self.request("/", [Array(packed.dropLast())]).collectUnpackedText(upTo: 5_000)
    }
  }

  @Test func `a body comes in the parts that arrive`() async throws {
    var seen: [[UInt8]] = []
    for try await part in Self.request("/", [[1, 2], [3]]).body { seen.append(part) }
    #expect(seen == [[1, 2], [3]])
  }
}
