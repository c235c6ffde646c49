import BaseJSON
import BaseStatus
import Testing

@testable import Hosting

/// The rules of a version, read and asked.
@Suite struct SiteRulesTests {
  private static func rules(_ config: String) throws -> SiteRules {
    try SiteRules(try JSONValue(parsing: config))
  }

  private static func answer(_ config: String, _ path: String) throws -> SiteAnswer {
    let visitor = VisitorLanguages(acceptLanguage: nil, cookie: nil)
    var work = RuleWork()
    return try rules(config).answer(path, query: nil, visitor, &work) { _ in nil }
  }

  private static func redirect(
    _ source: String,
    to location: String,
    _ path: String
  ) throws
    -> String?
  {
    let config = "{\"redirects\":[{\(source),\"location\":\"\(location)\"}]}"
    guard case .redirect(let target, 301) = try answer(config, path) else { return nil }
    return target
  }

  private static func function(_ config: String, _ path: String) throws -> HostedFunction? {
    guard case .function(let function) = try answer(config, path) else { return nil }
    return function
  }

  @Test(arguments: [
    ("/blog/:post", "/news/:post", "/blog/a", "/news/a"),
    ("/blog/:rest*", "/news/:rest", "/blog/a/b", "/news/a/b"),
    ("/old", "/new", "/old", "/new"),
  ])
  func `a glob's names fill the target`(
    source: String,
    location: String,
    path: String,
    target: String
  ) throws {
    #expect(try Self.redirect("\"glob\":\"\(source)\"", to: location, path) == target)
  }

  @Test(arguments: [
    ("^/item/([0-9]+)/(.*)$", "/shop/:2?n=:1", "/item/7/a/b", "/shop/a/b?n=7"),
    (
      "/blog/(?P<year>[0-9]{4})-(?P<title>.+)", "/:year/:title", "/blog/2026-ação",
      "/2026/a%C3%A7%C3%A3o"
    ),
    ("/(?<a>x)(y)?", "https://h.example:8080/:a:2:3", "/x", "https://h.example:8080/x:3"),
    ("^/(.*)$", "/:1", "/:2//evil.example", "/:2//evil.example"),
    ("^/go(/.*)$", "/:1", "/go//evil.example", "/evil.example"),
  ])
  func `a regular expression's groups fill the target`(
    source: String,
    location: String,
    path: String,
    target: String
  ) throws {
    #expect(try Self.redirect("\"regex\":\"\(source)\"", to: location, path) == target)
  }

  @Test func `the first rule that is for a path counts`() throws {
    let config = """
      {"rewrites":[{"glob":"/a/**","function":"first","functionRegion":"us-east1"},\
      {"glob":"**","function":"second"}]}
      """
    let first = HostedFunction(name: "first", region: "us-east1")
    #expect(try Self.function(config, "/a/b") == first)
    #expect(try Self.function(config, "/b") == HostedFunction(name: "second", region: nil))
  }

  @Test(arguments: [
    #"{"redirects":[{"glob":"/a","location":"/b","statusCode":200}]}"#,
    #"{"redirects":[{"glob":"/a"}]}"#, #"{"redirects":[{"location":"/b"}]}"#,
    #"{"redirects":[{"regex":"(","location":"/b"}]}"#, #"{"redirects":{}}"#,
    #"{"rewrites":[{"glob":"/a","dynamicLinks":true}]}"#,
    #"{"rewrites":[{"glob":"/a","path":"../etc"}]}"#,
    #"{"headers":[{"glob":"/a","headers":{"Content-Length":"1"}}]}"#,
    #"{"headers":[{"glob":"/a","headers":{"x":"a\r\nset-cookie: b"}}]}"#,
    #"{"trailingSlashBehavior":"SOMETIMES"}"#, #"{"i18n":{"root":"/../x"}}"#,
  ])
  func `a rule that can't be meant is refused`(config: String) {
    #expect(throws: ServiceError.self) { try Self.rules(config) }
  }

  @Test func `more rules than a site may have are refused`() {
    func list(_ count: Int, _ glob: String) -> String {
      let rule = "{\"glob\":\"\(glob)\",\"location\":\"/b\"}"
      return "{\"redirects\":[\(Array(repeating: rule, count: count).joined(separator: ","))]}"
    }
    #expect(throws: ServiceError.self) { try Self.rules(list(20_001, "/a")) }
    #expect(throws: ServiceError.self) { try Self.rules(list(2_001, "*a")) }
    #expect(throws: Never.self) { try Self.rules(list(20_000, "/a")) }
  }

  private static func match(_ glob: String, _ path: String) throws -> [String]? {
    var work = RuleWork()
    return try Glob(glob).match(path, &work)
  }

  @Test(arguments: [
    "/" + String(repeating: "*a", count: 40) + "b", "/*(a|aa)*(a|aa)b", "/*(a)*(a)*(a)c",
    "/+(+(a))b",
    "/" + String(repeating: "a**", count: 300) + "b", "/!(!(!(!(a*)*)*)*)b",
  ])
  func `a glob that takes too many steps is an error`(glob: String) {
    let path = "/" + String(repeating: "a", count: 1_000)
    #expect(throws: RuleWork.Exceeded.self) {
      // Several rules share the steps of a request.
      var work = RuleWork()
      for _ in 0..<2_000 { _ = try Glob(glob).match(path, &work) }
    }
  }

  @Test(arguments: [
    ("/*(a|b)c", "/ababc", true), ("/**/!(x).js", "/d/y.js", true),
    ("/**/!(x).js", "/d/x.js", false),
    ("/a?c[d-f]", "/abce", true), ("/a?c[!d-f]", "/abce", false), ("/abc", "/ab", false),
    ("/**", "/a/b", true), ("/{a,b}/*.css", "/b/x.css", true),
  ])
  func `globs`(glob: String, path: String, isMatch: Bool) throws {
    #expect(try (Self.match(glob, path) != nil) == isMatch)
  }

  @Test(arguments: [
    #""redirects":[RULES]"#, #""rewrites":[RULES]"#, #""headers":[RULES]"#,
  ])
  func `rules that take too much work together are an error`(list: String) throws {
    let rule =
      #"{"regex":"(a|aa|aaa)+(b|bb)+c$","location":"/x","path":"/x","headers":{"x-frame-options":"DENY"}}"#
    let many = Array(repeating: rule, count: 400).joined(separator: ",")
    let rules = try Self.rules("{\(list.replacing("RULES", with: many))}")
    let visitor = VisitorLanguages(acceptLanguage: nil, cookie: nil)
    #expect(throws: RuleWork.Exceeded.self) {
      let path = "/" + String(repeating: "a", count: 1_000)
      var work = RuleWork()
      _ = try rules.answer(path, query: nil, visitor, &work) { _ in nil }
      _ = try rules.headers(for: path, &work)
    }
  }

  @Test func `patterns that take too much memory together are refused`() {
    // Each has 1,801 parts, and 500,000 are taken.
    let rule = "{\"glob\":\"/\(String(repeating: "a*", count: 900))\",\"location\":\"/x\"}"
    func list(_ count: Int) -> String {
      "{\"redirects\":[\(Array(repeating: rule, count: count).joined(separator: ","))]}"
    }
    #expect(throws: ServiceError.self) { try Self.rules(list(300)) }
    #expect(throws: Never.self) { try Self.rules(list(100)) }
  }

  @Test func `headers of a rule that is for a path aren't left out`() throws {
    let glob = #"{"glob":"**/*.@(js|css|png|svg|html)","headers":{"x-a":"b"}}"#
    let last = #"{"glob":"**","headers":{"content-security-policy":"default-src 'self'"}}"#
    let many = Array(repeating: glob, count: 500).joined(separator: ",")
    let rules = try Self.rules("{\"headers\":[\(many),\(last)]}")
    var work = RuleWork()
    let fields = try rules.headers(for: "/assets/pages/one-of-the-longer-names.html", &work)
    #expect(fields.map(\.name) == ["x-a", "content-security-policy"])
  }

  @Test func `thousands of headers for one path are an error`() throws {
    let fields = (0..<20_000).map { "\"x-\($0)\":\"a\"" }.joined(separator: ",")
    let rules = try Self.rules("{\"headers\":[{\"glob\":\"**\",\"headers\":{\(fields)}}]}")
    var work = RuleWork()
    #expect(throws: RuleWork.Exceeded.self) { try rules.headers(for: "/", &work) }
  }

  @Test func `a name is the project's whose id it begins with longest`() {
    let projects: Set<String> = ["shop", "shop-docs"]
    #expect(SiteName.owner(of: "shop-docs-beta", among: projects) == "shop-docs")
    #expect(SiteName.belongs("shop-beta", to: "shop", among: projects))
    #expect(!SiteName.belongs("shop-docs", to: "shop", among: projects))
    #expect(!SiteName.belongs("bank", to: "shop", among: projects))
  }

  @Test(arguments: ["", "a--b", "-a", "a-", "A", "a.b", "www", "admin", "a_b"])
  func `a name that is no label is no site's`(name: String) {
    #expect(throws: ServiceError.self) { try SiteName.check(name) }
  }
}
