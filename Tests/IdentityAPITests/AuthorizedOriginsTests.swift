import Testing

@testable import IdentityAPI

/// Which pages may begin a sign-in, and how a content security policy names them.
struct AuthorizedOriginsTests {
  private static let production = AuthorizedOrigins(
    domains: ["localhost", "Shop.example.org", "x; script-src *", "*", "[::1]", ""],
    server: "https://auth.example.org",
    allowsHTTP: false
  )

  @Test func `a policy names whole hosts alone`() {
    #expect(
      Self.production.sources == [
        "https://localhost:*", "http://localhost:*", "https://shop.example.org:*",
        "https://auth.example.org:*",
      ]
    )
  }

  @Test(arguments: [
    ("https://shop.example.org/", true), ("https://SHOP.example.org:8443/a", true),
    ("http://localhost:3000", true), ("https://auth.example.org", true),
    ("http://shop.example.org/", false), ("https://a.shop.example.org/", false),
    ("https://shop.example.org.evil.example/", false), ("http://auth.example.org", false),
    ("https://127.0.0.1/", false),
  ])
  func `production takes https of a domain itself`(address: String, isAuthorized: Bool) throws {
    #expect(Self.production.contains(try #require(WebAddress(address))) == isAuthorized)
  }

  @Test func `development and a server without TLS take http`() throws {
    let page = try #require(WebAddress("http://shop.test:3000/"))
    for (server, allowsHTTP) in [("http://localhost:8080", true), ("http://shop.test", false)] {
      let origins = AuthorizedOrigins(
        domains: allowsHTTP ? ["shop.test"] : [],
        server: server,
        allowsHTTP: allowsHTTP
      )
      #expect(origins.contains(page))
    }
  }
}
