import Access
import BaseJSON
import FirestoreModel
import ServiceTestSupport
import Testing

/// The routes that Google's emulators have, in development.
@Suite struct EmulatorRouteTests {
  private static let rules = "/emulator/v1/projects/p"

  @Test func `rules are deployed and read, with what their expressions gave`() async throws {
    try await RulesServer.run(isDevelopment: true) { routes, server in
      let content = RulesText.firestore("match /a/{b} { allow read: if request.auth == null; }")
      let deployed = try await routes.call(
        "PUT \(Self.rules):securityRules",
        as: .stranger,
        body: #"{"rules":\#(RulesText.source(content))}"#
      )
      #expect(deployed.text == "{}")
      let read = try await routes.call("GET \(Self.rules):securityRules", as: .stranger)
      #expect(read["rules"]?.compact == RulesText.source(content))
      let before = try await routes.call("GET \(Self.rules):ruleCoverage", as: .stranger)
      #expect(before["rules"]?.compact == RulesText.source(content))
      #expect(before["report"]?.elements?.first?["sourcePosition"]?["line"]?.integer == 4)
      #expect(before["report"]?.elements?.first?["values"] == nil)
      let permit = try server.access.permit(.nobody, DatabaseID(project: "p"))
      #expect(try permit.get(ResourcePath(["a", "b"]), in: try permit.database()) == nil)
      let after = try await routes.call("GET \(Self.rules):ruleCoverage", as: .stranger)
      let values = after["report"]?.elements?.first?["values"]?.elements
      #expect(values?.map { $0["count"]?.integer } == [1])
    }
  }

  @Test func `the page of the coverage escapes the source and runs nothing`() async throws {
    try await RulesServer.run(isDevelopment: true) { routes, _ in
      let content = RulesText.firestore(
        "match /a/{b} { allow read: if '<script>' != '&'; }"
      )
      let deployed = try await routes.call(
        "PUT \(Self.rules):securityRules",
        as: .emulatorOwner,
        body: #"{"rules":\#(RulesText.source(content))}"#
      )
      #expect(deployed.outcome == "200")
      let page = try await routes.call("GET \(Self.rules):ruleCoverage.html", as: .stranger)
      #expect(page.header("content-type") == "text/html; charset=UTF-8")
      #expect(page.header("x-content-type-options") == "nosniff")
      #expect(
        page.header("content-security-policy") == "default-src 'none'; style-src 'unsafe-inline'"
      )
      #expect(page.text.contains("'&lt;script>' != '&amp;'"))
      #expect(!page.text.contains("<script"))
    }
  }

  @Test func `rules of Storage are deployed to a bucket or to all`() async throws {
    try await RulesServer.run(isDevelopment: true) { routes, server in
      let file = JSONValue.string(RulesText.storage).compact
      let all = try await routes.call(
        "PUT /internal/setRules",
        as: .stranger,
        body: #"{"rules":{"files":[{"name":"a.rules","content":\#(file)}]}}"#
      )
      #expect(all.text == #"{"message":"Rules updated successfully"}"#)
      #expect(server.rules.current(.emulatedStorage) != nil)
      #expect(server.rules.current(.emulated("photos")) == nil)
      let one = try await routes.call(
        "PUT /internal/setRules",
        as: .stranger,
        body: #"{"rules":{"files":[{"content":\#(file),"resource":"photos"}]}}"#
      )
      #expect(one.outcome == "200")
      #expect(server.rules.current(.emulated("photos")) != nil)
    }
  }

  static let wrongBodies: [(request: String, body: String, message: String)] = [
    ("PUT /internal/setRules", "", "rules.files must contain at least one file."),
    ("PUT /internal/setRules", #"{"rules":7}"#, "rules must be an object."),
    ("PUT /internal/setRules", #"{"rules":{"files":[{}]}}"#, "file.content must be a text."),
    (
      "PUT /internal/setRules", #"{"rules":{"files":[{"content":"","color":1}]}}"#,
      "Invalid JSON payload received. Unknown name \"color\" at 'file': Cannot find field."
    ),
    ("PUT \(rules):securityRules", "", "The ruleset has no source."),
    ("PUT \(rules):securityRules", "[]", "request must be an object."),
    (
      "PUT \(rules):securityRules", #"{"rules":{"files":[]}}"#,
      "A ruleset must have exactly one source file."
    ),
  ]

  @Test(arguments: wrongBodies)
  func `a wrong deployment is refused`(
    request: String,
    body: String,
    message: String
  ) async throws {
    try await RulesServer.run(isDevelopment: true) { routes, server in
      let response = try await routes.call(request, as: .stranger, body: body)
      #expect(response.outcome == "400 INVALID_ARGUMENT \(message)")
      #expect(server.rules.isEmpty)
    }
  }
}
