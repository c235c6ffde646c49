import Access
import HTTPTypes
import Logging
import ServiceModule
import Testing

@testable import StorageAPI

/// By whom unfinished uploads of Firebase's dialect count.
@Suite struct UploadShareTests {
  private static func request(at address: String, in network: String) throws -> FirebaseRequest {
    try FirebaseRequest(
      ServiceRequest(
        head: HTTPRequest(method: .post, scheme: "http", authority: "x", path: "/v0/b/x/o"),
        parameters: [:],
        rest: [],
        context: CallContext(
          requestID: "1",
          authorization: nil,
          isSecure: false,
          network: network
        ),
        address: address,
        isHTTP2: false,
        logger: Logger(label: "test"),
        body: ServiceBody(AsyncThrowingStream<[UInt8], any Error> { $0.finish() })
      )
    )
  }

  @Test func `all addresses of a network have one share`() throws {
    let network = "6:20010db800000000"
    let first = try Self.request(at: "2001:db8::1", in: network)
    let second = try Self.request(at: "2001:db8::2", in: network)
    let other = try Self.request(at: "2001:db8:0:1::1", in: "6:20010db800000001")
    let share = FirebaseRoutes.share(of: .nobody, first)
    #expect(share != nil && share == FirebaseRoutes.share(of: .nobody, second))
    #expect(share != FirebaseRoutes.share(of: .nobody, other))
    #expect(FirebaseRoutes.share(of: .administrator, first) == nil)
  }
}
