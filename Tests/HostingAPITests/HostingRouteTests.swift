import BaseJSON
import BaseText
import Foundation
import Hosting
import HostingAPI
import ObjectStorage
import ServiceModule
import ServiceTestSupport
import Testing

/// The management of sites over an engine in memory: project `p` has the site `p` with one version.
@Suite struct HostingRouteTests {
  private static func run(test: (TestRoutes) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory.path + "/hosting-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try await TestServer.run { server in
      var configuration = HostingConfiguration { 1_700_000_000_000_000 }
      configuration.domain = "sites.example"
      let hosting = try Hosting(
        engine: server.engine,
        blobs: LocalBlobStore(directory: folder, threads: server.threads, openFiles: 4),
        threads: server.threads,
        configuration: configuration
      )
      _ = try hosting.createSite("p", of: "p")
      // Made before there was a project r.
      _ = try hosting.createSite("r", of: "p")
      return .hosting(
        HostingEnvironment(
          hosting: hosting,
          access: server.access,
          threads: server.threads,
          numbers: ProjectNumbers(number: { _ in 7 }, projects: { ["p", "q", "r"] }),
          origin: { "https://brasa.example" },
          serverHosts: [],
          refusesOtherHosts: true
        ) { _, _ in .object([]) }
      )
    } test: { routes, _ in
      try await test(routes)
    }
  }

  /// Both forms of a site's name, with the rest of the path and its values.
  private static func site(
    _ method: String,
    _ pattern: String,
    _ path: String? = nil,
    body: String = "",
    takes: Rights = .editor
  ) -> [SiteCase] {
    [
      ("/v1beta1/projects/{project}/sites/{site}", "/v1beta1/projects/p/sites/p"),
      ("/v1beta1/sites/{site}", "/v1beta1/sites/p"),
    ].map { root, target in
      SiteCase(
        route: "\(method) \(root)\(pattern)",
        request: "\(method) \(target)\(path ?? pattern)",
        body: body,
        rights: takes
      )
    }
  }

  enum Rights: Sendable { case viewer, editor, owner, ownerOfServer }

  struct SiteCase: Sendable, CustomStringConvertible {
    let route: String
    let request: String
    let body: String
    let rights: Rights

    var description: String { route }

    /// Callers whose rights just don't suffice.
    var refused: [TestCaller] {
      let others: [TestCaller] = [
        .stranger, .forger, .user(), .administrator(.owner, of: "q"),
      ]
      switch rights {
      case .viewer: return others
      case .editor: return others + [.administrator(.viewer, of: "p"), .administrator(.viewer)]
      case .owner: return others + [.administrator(.editor, of: "p"), .administrator(.editor)]
      case .ownerOfServer:
        return others + [.administrator(.owner, of: "p"), .administrator(.editor)]
      }
    }

    var allowed: TestCaller {
      switch rights {
      case .viewer: .administrator(.viewer, of: "p")
      case .editor: .administrator(.editor, of: "p")
      case .owner: .administrator(.owner, of: "p")
      case .ownerOfServer: .administrator(.owner)
      }
    }
  }

  static let cases: [SiteCase] = {
    let sites = "/v1beta1/projects/{project}/sites"
    let upload = "/upload/sites/{site}/versions/{version}/files/{hash}"
    var cases = [
      SiteCase(
        route: "GET \(sites)",
        request: "GET /v1beta1/projects/p/sites",
        body: "",
        rights: .viewer
      ),
      SiteCase(
        route: "POST \(sites)",
        request: "POST /v1beta1/projects/p/sites?siteId=p-more",
        body: "{}",
        rights: .editor
      ),
      SiteCase(
        route: "POST \(upload)",
        request: "POST /upload/sites/p/versions/v/files/\(String(repeating: "0", count: 64))",
        body: "",
        rights: .editor
      ),
    ]
    cases += site("GET", "", takes: .viewer) + site("PATCH", "", body: "{}")
    cases += site("DELETE", "", takes: .owner)
    cases += site("GET", "/domains", takes: .viewer) + site("GET", "/customDomains", takes: .viewer)
    cases += site(
      "POST",
      "/customDomains",
      "/customDomains?customDomainId=shop.example",
      takes: .ownerOfServer
    )
    cases += site(
      "DELETE",
      "/customDomains/{domain}",
      "/customDomains/shop.example",
      takes: .ownerOfServer
    )
    cases += site("GET", "/versions", takes: .viewer) + site("POST", "/versions", body: "{}")
    cases += site("POST", "/versions:clone", body: "{}")
    cases += site("GET", "/versions/{version}", "/versions/v", takes: .viewer)
    cases += site("PATCH", "/versions/{version}", "/versions/v", body: "{}")
    cases += site("DELETE", "/versions/{version}", "/versions/v")
    cases += site(
      "POST",
      "/versions/{version}:populateFiles",
      "/versions/v:populateFiles",
      body: "{}"
    )
    cases += site("GET", "/versions/{version}/files", "/versions/v/files", takes: .viewer)
    cases += site("GET", "/channels", takes: .viewer)
    cases += site("POST", "/channels", "/channels?channelId=next", body: "{}")
    cases += site("GET", "/channels/{channel}", "/channels/live", takes: .viewer)
    cases += site("PATCH", "/channels/{channel}", "/channels/live", body: "{}")
    cases += site("DELETE", "/channels/{channel}", "/channels/c")
    for path in ["/channels/{channel}/releases", "/releases"] {
      let target = path.replacing("{channel}", with: "live")
      cases += site("GET", path, target, takes: .viewer) + site("POST", path, target, body: "{}")
    }
    return cases
  }()

  @Test func `every route is in the table`() async throws {
    try await Self.run { routes in
      #expect(Set(Self.cases.map(\.route)) == routes.names)
    }
  }

  @Test(arguments: cases) func `a route serves those who may, and nobody else`(
    route: SiteCase
  ) async throws {
    try await Self.run { routes in
      for caller in route.refused {
        let response = try await routes.call(route.request, as: caller, body: route.body)
        #expect([401, 403].contains(response.status), "\(caller): \(response.outcome)")
      }
      let response = try await routes.call(route.request, as: route.allowed, body: route.body)
      #expect(![401, 403, 500].contains(response.status), "\(response.outcome)")
    }
  }

  @Test func `a version is deployed, shown and rolled back`() async throws {
    try await Self.run { routes in
      func version() async throws -> String {
        let made = try await routes.call("POST /v1beta1/sites/p/versions", body: "{}")
        let name = try #require(made["name"]?.string).split(separator: "/").suffix(4)
          .joined(separator: "/")
        let status = #"{"status":"FINALIZED"}"#
        let done = try await routes.call(
          "PATCH /v1beta1/\(name)?updateMask=status",
          body: status
        )
        #expect(done["status"]?.string == "FINALIZED", "\(done.outcome)")
        return name
      }
      let (first, second) = (try await version(), try await version())
      for name in [first, second, first] {
        let shown = try await routes.call(
          "POST /v1beta1/sites/p/channels/live/releases?versionName=\(name)",
          body: "{}"
        )
        #expect(shown.outcome == "200")
      }
      let releases = try await routes.call("GET /v1beta1/sites/p/releases")
      #expect(releases["releases"]?.elements?.count == 3)
      let live = try await routes.call("GET /v1beta1/sites/p/channels/live")
      #expect(live["release"]?["version"]?["name"]?.string?.hasSuffix(first) == true)
    }
  }

  @Test func `a name of another project is refused`() async throws {
    try await Self.run { routes in
      for name in ["q", "q-docs", "other", "admin"] {
        let made = try await routes.call(
          "POST /v1beta1/projects/p/sites?siteId=\(name)",
          as: .administrator(.owner, of: "p"),
          body: "{}"
        )
        #expect((400..<500).contains(made.status), "\(name)")
      }
    }
  }

  @Test func `a project whose id is another's site has a site of its own`() async throws {
    try await Self.run { routes in
      let editor = TestCaller.administrator(.editor, of: "r")
      let listed = try await routes.call("GET /v1beta1/projects/r/sites", as: editor)
      let sites = listed["sites"]?.elements ?? []
      let name = try #require(sites.first?["name"]?.string)
      let site = try #require(name.split(separator: "/").last)
      #expect(sites.count == 1 && site.hasPrefix("r-"))
      #expect(sites.first?["type"]?.string == "DEFAULT_SITE")
      let path = "/v1beta1/sites/\(site)"
      let foreign = try await routes.call(
        "POST \(path)/versions",
        as: .administrator(.owner, of: "p"),
        body: "{}"
      )
      #expect(foreign.status == 403)
      let made = try await routes.call("POST \(path)/versions", as: editor, body: "{}")
      #expect(made.outcome == "200")
      let taken = try await routes.call("POST /v1beta1/sites/r/versions", as: editor, body: "{}")
      #expect(taken.status == 403)
      let owned = try await routes.call(path.replacing("/v1", with: "GET /v1"), as: editor)
      #expect(owned["type"]?.string == "DEFAULT_SITE")
    }
  }
}
