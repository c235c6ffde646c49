import MessagingAPI
import ServiceModule
import ServiceTestSupport
import Testing

/// The scripts of pages, which everybody may read.
@Suite struct BrowserScriptTests {
  private static let scripts = [
    "/__/messaging/messaging.js", "/__/messaging/messaging-store.js",
    "/__/messaging/messaging-worker.js", "/__/brasa/web.js",
  ]

  @Test func `a script is given once, and not again while it is the same`() async throws {
    try await TestServer.run { _ in
      .messagingScripts()
    } test: { routes, _ in
      #expect(
        routes.names == Set(Self.scripts.map { "GET \($0)" } + ["POST /__/brasa/figures"])
      )
      for script in Self.scripts {
        let response = try await routes.call("GET \(script)", as: .stranger)
        #expect(response.status == 200)
        #expect(response.header("content-type") == "text/javascript; charset=utf-8")
        #expect(response.header("x-content-type-options") == "nosniff")
        #expect(response.header("cross-origin-resource-policy") == "cross-origin")
        #expect(!response.bytes.isEmpty)
        let tag = try #require(response.header("etag"))
        let again = try await routes.call(
          "GET \(script)",
          as: .stranger,
          headers: ["if-none-match": tag]
        )
        #expect(again.status == 304)
        #expect(again.bytes.isEmpty)
        let other = try await routes.call(
          "GET \(script)",
          as: .stranger,
          headers: ["if-none-match": "\"other\""]
        )
        #expect(other.status == 200)
      }
    }
  }

  @Test func `figures of Google's SDKs are taken and kept nowhere`() async throws {
    try await TestServer.run { _ in
      .messagingScripts()
    } test: { routes, _ in
      let response = try await routes.call(
        "POST /__/brasa/figures",
        as: .stranger,
        body: "anything"
      )
      #expect(response.status == 204)
      #expect(response.bytes.isEmpty)
    }
  }
}
