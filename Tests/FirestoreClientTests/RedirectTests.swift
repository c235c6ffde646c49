import Foundation
import SDKTestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@testable import FirestoreClient

/// Servers that send clients elsewhere.
struct RedirectTests {
  @Test(.timeLimit(.minutes(1)))
  func `a redirect is the answer and not followed`() async throws {
    let target = try AnsweringServer.accepting()
    defer { target.stop() }
    let server = try AnsweringServer.redirecting(to: target.port)
    defer { server.stop() }
    let client = HTTPClient(label: "redirect")
    var request = URLRequest(url: try #require(URL(string: "\(server.url)/a")))
    request.setValue("Bearer secret", forHTTPHeaderField: "Authorization")
    #expect(try await client.answer(to: request).status == 307)
    request.httpMethod = "POST"
    request.httpBody = Data("abc".utf8)
    #expect(try await client.answer(to: request).status == 307)
    #expect(server.requests.count == 2 && target.requests.isEmpty)
    client.shutDown()
  }
}
