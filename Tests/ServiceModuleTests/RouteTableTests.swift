import Access
import HTTPTypes
import ServiceModule
import Testing

/// Which route a request gets, and which routes cannot be beside each other.
struct RouteTableTests {
  private static func unanswered(_ request: ServiceRequest) async throws -> ServiceResponse {
    ServiceResponse()
  }

  private static func echo(
    _ request: [UInt8],
    _ context: CallContext,
    _ respond: ServiceMethod.Respond
  ) { respond(.success(request)) }

  private static func module(
    _ name: String,
    _ patterns: [String],
    methods: [HTTPRequest.Method] = [.get],
    for audience: HTTPRoute.Audience = .clients
  ) -> ServiceModule {
    var module = ServiceModule(name)
    module.routes = patterns.map {
      HTTPRoute(methods, RoutePattern($0), for: audience, handler: unanswered)
    }
    return module
  }

  private static let patterns = [
    "/", "/healthz", "/v1/projects", "/v1/accounts:{verb}", "/v1/projects/{project}",
    "/v1/projects/{project}:test", "/v1/projects/{project}/accounts:{verb}",
    "/v1/projects/{project}/databases/{database}/documents/{path=**}",
    "/v1/projects/{project}/databases/{database}/documents/{path=**}".replacing("v1", with: "v2"),
    "/v1/projects/{project}/releases/{name=**}", "/{project}/.well-known/openid-configuration",
  ]

  @Test(
    arguments: [
      ("/", "/"), ("/healthz", "/healthz"), ("/v1/accounts:signUp", "/v1/accounts:{verb}"),
      ("/v1/accounts:", nil), ("/v1/accounts", nil), ("/v1/projects", "/v1/projects"),
      ("/v1/projects/p", "/v1/projects/{project}"),
      ("/v1/projects/p:test", "/v1/projects/{project}:test"),
      ("/v1/projects/p:other", "/v1/projects/{project}"), ("/v1/projects/", nil),
      ("/v1/projects/p/accounts:a:b", "/v1/projects/{project}/accounts:{verb}"),
      ("/v1/projects/p/%61ccounts%3Alookup", "/v1/projects/{project}/accounts:{verb}"),
      (
        "/v1/projects/p/databases/d/documents/",
        "/v1/projects/{project}/databases/{database}/documents/{path=**}"
      ),
      (
        "/v2/projects/p/databases/d/documents/a/b%2Fc",
        "/v2/projects/{project}/databases/{database}/documents/{path=**}"
      ),
      ("/v1/projects/p/databases/d/documents", nil), ("/v1/projects/p/messages:send", nil),
      ("/v1/projects/p/releases/a/b", "/v1/projects/{project}/releases/{name=**}"),
      ("/p/.well-known/openid-configuration", "/{project}/.well-known/openid-configuration"),
      ("//", nil), ("", "/"), ("/healthz/", nil), ("/host/v1/projects", nil),
    ] as [(String, String?)]
  )
  func `the most specific route answers`(path: String, pattern: String?) throws {
    // Neither order of the routes means anything.
    for patterns in [Self.patterns, Self.patterns.reversed()] {
      let table = try RouteTable([Self.module("service", patterns)])
      #expect(table.match(.get, path)?.route.pattern.description == pattern)
    }
  }

  @Test func `a service's paths are also below the names of its hosts`() throws {
    var accounts = Self.module("accounts", ["/v1/token", "/{project}/keys"])
    accounts.hosts = ["accounts.example", "tokens.example"]
    accounts.fallback = Self.unanswered
    var files = Self.module("files", ["/v1/files/{file}"])
    files.hosts = ["tokens.example"]
    let table = try RouteTable([accounts, files])
    for path in ["/v1/token", "/accounts.example/v1/token", "/tokens.example/v1/token"] {
      #expect(table.match(.get, path)?.route.pattern == "/v1/token")
    }
    #expect(table.match(.get, "/tokens.example/v1/files/f")?.parameters == ["file": "f"])
    // A host's name is no segment that a pattern could take.
    #expect(table.match(.get, "/accounts.example/keys")?.route.pattern == "/{path=**}")
    let unknown = try #require(table.match(.put, "/accounts.example/v1/files/f"))
    #expect(unknown.service == "accounts")
    #expect(unknown.rest == ["v1", "files", "f"])
    #expect(!table.isForClients("/accounts.example/v1/files/f"))
    #expect(table.isForClients("/accounts.example/v1/token"))
    #expect(table.match(.get, "/files.example/v1/files/f") == nil)
  }

  @Test func `one service alone answers all paths of a host`() throws {
    var modules = ["ours", "theirs"].map { Self.module($0, []) }
    for index in modules.indices {
      modules[index].hosts = ["one.example"]
      modules[index].fallback = Self.unanswered
    }
    let conflict = #expect(throws: RouteConflict.self) { try RouteTable(modules) }
    #expect(
      conflict?.description == "Two services handle every path of one.example: ours, theirs."
    )
  }

  @Test func `a route is told what its path says, decoded`() throws {
    let table = try RouteTable([
      Self.module("service", ["/v1/projects/{project}/items:{verb}", "/files/{id}:raw/{path=**}"])
    ])
    let match = try #require(table.match(.get, "/v1/projects/caf%C3%A9/items:get"))
    #expect(match.parameters == ["project": "café", "verb": "get"])
    #expect(match.rest.isEmpty)
    let rest = try #require(table.match(.get, "/files/7:raw/a%2Fb//c%zz"))
    #expect(rest.parameters == ["id": "7"])
    #expect(rest.rest == ["a/b", "", "c%zz"])
  }

  @Test func `a route that yields answers no path that begins like another's`() throws {
    var files = Self.module("files", ["/{bucket}/{object=**}", "/files/{id}"])
    files.routes[0].yields = true
    files.hosts = ["files.example"]
    let table = try RouteTable([Self.module("others", ["/v1/items"]), files])
    #expect(table.match(.get, "/photos/a/b")?.service == "files")
    #expect(table.match(.get, "/files.example/photos/a/b")?.service == "files")
    for path in ["/v1/nothing", "/files/a/b", "/files.example/files/a/b"] {
      #expect(table.match(.get, path) == nil)
      #expect(!table.isForClients(path))
    }
    #expect(table.match(.get, "/files/a")?.service == "files")
    #expect(table.match(.get, "/v1/items")?.service == "others")
  }

  @Test func `a request that a service claims gets its route that yields`() throws {
    var files = Self.module("files", ["/{bucket}/{object=**}"], methods: [.get, .put])
    files.routes[0].yields = true
    files.hosts = ["files.example"]
    files.claims = { $0.headerFields[.authorization] == "signed" }
    let others = Self.module("others", ["/admin/v2/projects/{project}", "/{path=**}"])
    let table = try RouteTable([others, files])
    func service(_ method: HTTPRequest.Method, _ path: String, isSigned: Bool) -> String? {
      var head = HTTPRequest(method: method, scheme: nil, authority: nil, path: path)
      if isSigned { head.headerFields[.authorization] = "signed" }
      return table.match(method, path, of: head)?.service
    }
    for path in ["/admin/v2/projects/p", "/files.example/admin/v2/projects/p", "/admin/a"] {
      for method in [HTTPRequest.Method.get, .head] {
        #expect(service(method, path, isSigned: true) == "files")
      }
      #expect(service(.put, path, isSigned: true) == "files")
      #expect(service(.put, path, isSigned: false) == nil)
    }
    #expect(service(.get, "/admin/v2/projects/p", isSigned: false) == "others")
  }

  @Test func `methods have routes of their own, and HEAD is a GET without one`() throws {
    let table = try RouteTable([
      Self.module("reader", ["/a", "/{name}"]),
      Self.module("writer", ["/a"], methods: [.post, .delete]),
      Self.module("prober", ["/b"], methods: [.head]),
    ])
    #expect(table.match(.post, "/a")?.service == "writer")
    #expect(table.match(.get, "/a")?.service == "reader")
    #expect(table.match(.head, "/a")?.service == "reader")
    #expect(table.match(.head, "/b")?.service == "prober")
    #expect(table.match(.get, "/b")?.route.pattern.description == "/{name}")
    #expect(table.match(.put, "/a") == nil)
  }

  @Test(arguments: [
    ("/a/{x}", "/{y}/b"), ("/a/{x}", "/a/{y}"), ("/a:{x}", "/{x}:b"), ("/{x=**}", "/{y=**}"),
    ("/a/{x}/c", "/a/b/{y=**}"), ("/{x}/b/{z=**}", "/a/{y=**}"), ("/same", "/same"),
  ])
  func `routes that overlap are refused by name`(one: String, other: String) throws {
    for (first, second) in [(one, other), (other, one)] {
      let conflict = #expect(throws: RouteConflict.self) {
        try RouteTable([Self.module("ours", [first]), Self.module("theirs", [second])])
      }
      let text = try #require(conflict).description
      #expect(text.contains("GET \(first) of ours"))
      #expect(text.contains("GET \(second) of theirs"))
    }
  }

  /// Only routes near to a new one are compared with it.
  @Test func `of many routes two overlap if they do by themselves`() throws {
    let segments = ["a", "b", "a:b", "{x}", "a:{x}", "{x}:b"]
    var patterns: [String] = []
    for first in segments {
      patterns += ["/\(first)", "/\(first)/{r=**}"]
      for second in segments {
        patterns += ["/\(first)/\(second)", "/\(first)/\(second)/{r=**}"]
      }
    }
    var kept: [String] = []
    for pattern in patterns {
      let isApart = kept.allSatisfy { other in
        (try? RouteTable([Self.module("a", [other]), Self.module("b", [pattern])])) != nil
      }
      let table = try? RouteTable([Self.module("all", kept + [pattern])])
      #expect((table != nil) == isApart, "\(pattern) beside \(kept)")
      if isApart { kept.append(pattern) }
    }
    #expect(kept.count > 20)
  }

  @Test(arguments: [
    ("/a/{x}", "/a/b"), ("/{x}", "/a:{y}"), ("/a:{x}", "/a:b{y}"), ("/{x=**}", "/a/{y=**}"),
    ("/a/{x}", "/b/{y}"), ("/a", "/a/{x=**}"), ("/{x}:a", "/{x}:b"), ("/a/{x}", "/a/{x}/c"),
  ])
  func `routes of which one is more specific are fine`(one: String, other: String) throws {
    _ = try RouteTable([Self.module("ours", [one]), Self.module("theirs", [other])])
  }

  @Test func `the same path may have other methods elsewhere`() throws {
    _ = try RouteTable([
      Self.module("ours", ["/a/{x}"]), Self.module("theirs", ["/{y}/b"], methods: [.post]),
    ])
  }

  @Test func `clients have a path where all its routes are for them`() throws {
    let table = try RouteTable([
      Self.module("apps", ["/data", "/mixed"]),
      Self.module("console", ["/mixed"], methods: [.delete], for: .administrators),
      Self.module("back end", ["/data/all"], for: .administrators),
    ])
    #expect(table.isForClients("/data"))
    #expect(!table.isForClients("/mixed"))
    #expect(!table.isForClients("/data/all"))
    #expect(!table.isForClients("/nothing"))
  }

  @Test func `a module lists what it serves, each once`() {
    var module = Self.module("service", ["/a", "/b/{x}"])
    module.routes += Self.module("service", ["/a"], methods: [.post]).routes
    module.methods = ["Get", "List"].map {
      ServiceMethod(path: "/shop.v1.Stock/\($0)", handler: .unary(Self.echo))
    }
    #expect(module.served == ["shop.v1.Stock", "/a", "/b/{x}"])
  }

  @Test func `HEAD is the more specific route's, its own or that of GET`() throws {
    let heads = Self.module("files", ["/{bucket}/{object=**}"], methods: [.get, .head])
    let table = try RouteTable([heads, Self.module("rules", ["/v1/{name}"])])
    #expect(table.match(.head, "/v1/a")?.service == "rules")
    #expect(table.match(.head, "/v2/a")?.service == "files")
    #expect(table.match(.head, "/v1/a/b")?.service == "files")
  }
}
