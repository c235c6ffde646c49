import BaseRuntime
import FirestoreAPI
import HTTPTypes
import ServiceModule
import Testing

@testable import Gateway

/// Which hosts and pages a development server knows.
struct DevelopmentOriginsTests {
  private static let origins = DevelopmentOrigins(
    hosts: ["brasa.test"],
    pages: ["https://app.test:3000"]
  )
  /// The routes of a gateway that serves Firestore.
  private static let routes: RouteTable = {
    let registry = MetricsRegistry()
    let metrics = GatewayMetrics(registry: registry)
    let service = ScriptedService()
    var own = ServiceModule("gateway")
    own.routes =
      HealthRoutes(health: ServerHealth(), damage: nil).routes + [
        MetricsRoute(unguarded: registry).route
      ]
    own.routes +=
      WebChannelRoutes(
        methods: [.test(.listen, of: service)],
        sessions: WebChannelSessions(
          limits: WebChannelLimits(),
          ledger: ByteLedger(),
          metrics: metrics
        ),
        bodyLimit: 0
      ).routes
    do {
      var others = ServiceModule("others")
      others.routes = [
        HTTPRoute(.post, "/apps/{name}", for: .clients, handler: unanswered),
        HTTPRoute(.get, "/apps/{name}", for: .clients, handler: unanswered),
        HTTPRoute(.post, "/reset", for: .administrators, handler: unanswered),
      ]
      return try RouteTable([.firestore(service, bodyLimit: 0), own, others])
    } catch {
      preconditionFailure("\(error)")
    }
  }()

  private static func unanswered(_ request: ServiceRequest) async throws -> ServiceResponse {
    ServiceResponse()
  }

  private static let data = "/v1/projects/p/databases/(default)/documents:commit"
  private static let reset = "/reset"

  private func verdict(
    _ path: String = data,
    host: String? = "localhost:8080",
    origin: String? = nil,
    site: String? = nil,
    method: HTTPRequest.Method = .post
  ) -> DevelopmentOrigins.Verdict {
    var request = HTTPRequest(method: method, scheme: "http", authority: host, path: path)
    request.headerFields[.origin] = origin
    request.headerFields[.secFetchSite] = site
    return Self.origins.verdict(on: request, to: Self.routes)
  }

  @Test(arguments: [
    "localhost", "LOCALHOST:8080", "localhost.", "app.localhost", "127.0.0.1:8080", "127.8.8.8",
    "[::1]:8080", "[::1]", "10.0.2.2:8080", "192.168.0.7", "[fe80::1]:8080", "brasa.test:8080",
    "firestore.googleapis.com",
  ])
  func `a server in development answers to loopback, numbers and named hosts`(host: String) {
    #expect(verdict(host: host) == .admitted)
  }

  @Test(arguments: [
    "evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "127.evil.example", "",
    "evilgoogleapis.com", "evil@localhost", "localhost:8080@evil.example", "[evil", "brasa.test.x",
    "localhost/evil",
  ])
  func `a name that was made to lead here is refused`(host: String) {
    #expect(verdict(host: host) == .unknownHost(host))
  }

  @Test func `programs without a host are no pages`() {
    #expect(verdict(host: nil) == .admitted)
  }

  @Test(arguments: [
    "http://localhost:3000", "https://localhost", "http://127.0.0.1:5173", "http://[::1]:3000",
    "capacitor://localhost", "https://APP.test:3000", "http://brasa.test:1234",
    "http://app.localhost",
  ])
  func `pages on loopback and of named origins reach everything`(origin: String) {
    #expect(verdict(Self.reset, origin: origin, site: "cross-site") == .admitted)
    #expect(verdict(origin: origin) == .admitted)
  }

  @Test func `pages of the host that they ask reach everything`() {
    #expect(verdict(Self.reset, host: "10.0.2.2:8080", origin: "http://10.0.2.2:3000") == .admitted)
    #expect(
      verdict(Self.reset, host: "10.0.2.2:8080", origin: "http://10.0.2.3:3000")
        == .foreignPage("http://10.0.2.3:3000")
    )
  }

  @Test(arguments: [
    "https://evil.example", "null", "http://localhost.evil.example", "https://app.test",
    "http://203.0.113.9", "localhost", "",
  ])
  func `other pages are clients and no more`(origin: String) {
    #expect(verdict(origin: origin) == .admittedAsClient)
    for path in [
      Self.reset, "/emulator/v1/projects/p/accounts",
      "/emulator/v1/projects/p/databases/(default)/documents", "/nowhere",
      "/v1/projects/p/databases", "/metrics",
      "/v1/projects/p/databases/d/collectionGroups/c/indexes", "//reset", "/%65mulator/x",
    ] {
      #expect(verdict(path, origin: origin) == .foreignPage(origin), "\(path)")
    }
  }

  @Test(arguments: [
    data, "/v1/projects/p/databases/(default)/documents/a/b?mask=x", "/healthz", "/",
    "/google.firestore.v1.Firestore/Listen/channel?VER=8", "/apps/one", "/apps/one?key=x",
  ])
  func `what clients reach is open to every page`(path: String) {
    #expect(verdict(path, origin: "https://page.example") == .admittedAsClient)
  }

  @Test func `a browser that names no origin reaches no destructive route from elsewhere`() {
    for site in ["cross-site", "same-site"] {
      #expect(verdict(Self.reset, site: site) == .foreignPage(site))
      #expect(verdict(Self.reset, site: site, method: .delete) == .foreignPage(site))
      // A link in an email that is opened.
      #expect(verdict("/apps/page", site: site, method: .get) == .admitted)
    }
    for site in ["same-origin", "none", nil] {
      #expect(verdict(Self.reset, site: site) == .admitted)
    }
  }
}
