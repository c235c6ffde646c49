import Testing

@testable import Gateway

/// Which path is which call, and which are others' APIs.
struct IdentityRouteTests {
  static let paths: [(String, IdentityRoute?)] = [
    ("/v1/accounts:signUp", .client("signUp")),
    ("/identitytoolkit.googleapis.com/v1/accounts:signUp", .client("signUp")),
    (
      "/www.googleapis.com/identitytoolkit/v3/relyingparty/verifyPassword",
      .client("signInWithPassword")
    ),
    ("/identitytoolkit/v3/relyingparty/setAccountInfo", .client("update")),
    ("/identitytoolkit/v3/relyingparty/downloadAccount", .client("downloadAccount")),
    ("/identitytoolkit/v3/relyingparty/nothing", .unknown),
    ("/identitytoolkit/v3/relyingparty/publicKeys", .keys(.certificates)),
    ("/v2/accounts/mfaEnrollment:start", .client("mfaEnrollment:start")),
    ("/v2/accounts:revokeToken", .client("revokeToken")),
    ("/v2/passwordPolicy", .client("passwordPolicy")), ("/v1/projects", .client("projects")),
    ("/securetoken.googleapis.com/v1/token", .token), ("/v1/token", .token),
    ("/token", .assertion), ("/oauth2.googleapis.com/token", .assertion),
    ("/v1/projects/p/accounts", .admin(project: "p", "create")),
    ("/v1/projects/p/accounts:lookup", .admin(project: "p", "lookup")),
    ("/v1/projects/p:createSessionCookie", .admin(project: "p", "createSessionCookie")),
    ("/v1/projects/p/tenants/t/accounts:lookup", .configuration(project: "p", ["tenants"])),
    ("/v2/projects/p/config", .configuration(project: "p", ["config"])),
    (
      "/v2/projects/p/oauthIdpConfigs/oidc.x",
      .configuration(project: "p", ["oauthIdpConfigs", "oidc.x"])
    ),
    ("/service_accounts/v1/jwk/securetoken@system.gserviceaccount.com", .keys(.webKeys)),
    ("/robot/v1/metadata/x509/securetoken@system.gserviceaccount.com", .keys(.certificates)),
    ("/p/.well-known/openid-configuration", .discovery(project: "p")),
    ("/__/auth/action", .page("action")), ("/emulator/action", .page("action")),
    ("/identitytoolkit.googleapis.com/v1/dance", .unknown),
    // Firestore's, the rules' and nobody's.
    ("/v1/projects/p/databases/(default)/documents/accounts/a", nil),
    ("/v1/projects/p/databases/(default)/documents:commit", nil),
    ("/v2/projects/p/databases/x", nil), ("/v1/projects/p/rulesets", nil), ("/v1/dance", nil),
    ("/", nil), ("//", nil), ("/healthz", nil),
  ]

  @Test(arguments: paths)
  func `a path names its call`(path: String, route: IdentityRoute?) {
    #expect(IdentityRoute(path: path, isDevelopment: false) == route)
  }

  @Test(arguments: ["accounts", "config", "oobCodes", "verificationCodes"])
  func `the emulator's routes are development's`(name: String) {
    let path = "/emulator/v1/projects/p/\(name)"
    #expect(IdentityRoute(path: path, isDevelopment: false) == nil)
    #expect(IdentityRoute(path: path, isDevelopment: true) == .emulator(project: "p", [name]))
  }

  static let addresses: [(String, String?)] = [
    ("https://shop.example/a?b#c", "shop.example"), ("HTTP://SHOP.example:8080", "shop.example"),
    ("https://shop.example?@evil.example/", "shop.example"),
    ("https://[::1]:80/", "[::1"), ("https://shop.example#@evil.example", "shop.example"),
    ("https://a@evil.example", nil), ("https://shop.example\\@evil.example", nil),
    ("javascript:alert(1)", nil), ("data:text/html,x", nil), ("//evil.example", nil),
    ("https://", nil), ("https:///evil.example", nil), ("ftp://shop.example", nil),
    ("https://shop.example\n.evil", nil), (" https://shop.example", nil), ("", nil),
  ]

  @Test(arguments: addresses)
  func `an address leads where it seems to`(text: String, host: String?) {
    #expect(WebAddress(text)?.host == host)
  }
}
