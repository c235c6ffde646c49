import Foundation
import SDKTestSupport
import Testing

@testable import FirebaseStorage

/// To whom the token of who is signed in is shown.
@Suite(.timeLimit(.minutes(10)))
struct TokenTests {
  @Test func `a token goes to this machine, and to no other one in plain text`() async throws {
    let fixture = try await StorageFixture()
    try await fixture.auth.signInAnonymously()
    let server = try AnsweringServer.accepting()
    // The second is this machine too, and not its loopback by its name.
    for (host, hasToken) in [("127.0.0.1", true), ("0.0.0.0", false)] {
      let storage = Storage(app: fixture.app, bucket: "b")
      storage.useEmulator(withHost: host, port: server.port)
      _ = try await storage.reference(withPath: "a").getMetadata()
      let header = try #require(server.requests.last).headers["authorization"]
      #expect((header?.hasPrefix("Firebase ") == true) == hasToken)
    }
    server.stop()
    try await fixture.remove()
  }

  @Test(arguments: ["[::1]", "::1"])
  func `numbers of version 6 have brackets once`(host: String) async throws {
    let fixture = try await StorageFixture()
    let storage = Storage(app: fixture.app, bucket: "b")
    storage.useEmulator(withHost: host, port: 9)
    #expect(storage.backend.base == "http://[::1]:9")
    try await fixture.remove()
  }
}
