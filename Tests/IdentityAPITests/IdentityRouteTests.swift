import HTTPTypes
import ServiceModule
import Testing

@testable import IdentityAPI

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
    ("/oauth2/v4/token", .assertion), ("/oauth2/v3/token", .assertion),
    (
      "/v1/projects/-/serviceAccounts/a@p.iam.brasa:signBlob",
      .signBlob(account: "a@p.iam.brasa")
    ),
    ("/v2/passwordPolicy", .client("passwordPolicy")), ("/v1/projects", .client("projects")),
    ("/securetoken.googleapis.com/v1/token", .token), ("/v1/token", .token),
    ("/token", .assertion), ("/oauth2.googleapis.com/token", .assertion),
    ("/v1/projects/p/accounts", .admin(project: "p", "create")),
    ("/v1/projects/p/accounts:lookup", .admin(project: "p", "lookup")),
    ("/v1/projects/p:createSessionCookie", .admin(project: "p", "createSessionCookie")),
    (
      "/v1/projects/p/tenants/t/accounts:lookup",
      .configuration(project: "p", ["tenants", "t", "accounts:lookup"])
    ),
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
  func `a path names its call`(path: String, route: IdentityRoute?) throws {
    #expect(try Self.route(path, isDevelopment: false) == route)
  }

  @Test(arguments: [":signBlob", "%3AsignBlob", ":sign%42lob"])
  func `signing for a service account takes the right to make keys`(verb: String) {
    let path = "/v1/projects/-/serviceAccounts/backend@p.iam.brasa\(verb)"
    #expect(IdentityRoute.role(.post, path) == .owner)
  }

  @Test(arguments: ["accounts", "config", "oobCodes", "verificationCodes"])
  func `the emulator's routes are development's`(name: String) throws {
    let path = "/emulator/v1/projects/p/\(name)"
    #expect(try Self.route(path, isDevelopment: false) == nil)
    #expect(try Self.route(path, isDevelopment: true) == .emulator(project: "p", [name]))
  }

  /// Returns the route that a server with the accounts' routes finds for a path.
  private static func route(_ path: String, isDevelopment: Bool) throws -> IdentityRoute? {
    let paths = IdentityRoute.paths(isDevelopment: isDevelopment)
    var module = ServiceModule("accounts")
    module.hosts = IdentityRoute.hosts
    module.fallback = unanswered
    module.routes = paths.map {
      HTTPRoute(.post, $0.pattern, for: $0.audience, handler: unanswered)
    }
    guard let match = try RouteTable([module]).match(.post, path) else { return nil }
    let found = paths.first { $0.pattern == match.route.pattern }
    return found.map { $0.route(match.parameters, match.rest) } ?? .unknown
  }

  private static func unanswered(_ request: ServiceRequest) async throws -> ServiceResponse {
    ServiceResponse()
  }

  @Test(arguments: [
    ("/v1/accounts:signUp", true), ("/v1/token", true), ("/v2/accounts/mfaSignIn:start", true),
    ("/www.googleapis.com/identitytoolkit/v3/relyingparty/verifyPassword", true),
    ("/__/auth/action", true), ("/p/.well-known/openid-configuration", true),
    ("/identitytoolkit.googleapis.com/v1/projects/p/accounts:query", false),
    ("/v2/projects/p/config", false), ("/emulator/v1/projects/p/oobCodes", false),
    ("/emulator/v1/projects/p/accounts", false),
    ("/identitytoolkit.googleapis.com/v1/dance", false), ("/v1/dance", false),
  ])
  func `clients have what needs no administrator`(path: String, isForClients: Bool) throws {
    var module = ServiceModule("accounts")
    module.hosts = IdentityRoute.hosts
    module.fallback = Self.unanswered
    module.routes = IdentityRoute.paths(isDevelopment: true).map {
      HTTPRoute(.post, $0.pattern, for: $0.audience, handler: Self.unanswered)
    }
    #expect(try RouteTable([module]).isForClients(path) == isForClients)
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
