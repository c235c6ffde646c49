import ServiceTestSupport
import Testing

/// Rules that are tried, given and kept ones.
@Suite struct RulesTestRouteTests {
  private static let owned = RulesText.firestore(
    "match /notes/{id} { allow read: if request.auth.uid == resource.data.owner; }"
  )

  private static func testCase(_ expectation: String, uid: String, more: String = "") -> String {
    #"{"expectation":"\#(expectation)","request":{"auth":{"uid":"\#(uid)"},"method":"get","#
      + #""path":"/databases/(default)/documents/notes/n"},"#
      + #""resource":{"data":{"owner":"ana"}}\#(more)}"#
  }

  @Test func `cases are tried on a source and on a kept ruleset`() async throws {
    try await RulesServer.run { routes, _ in
      let cases = [
        Self.testCase("ALLOW", uid: "ana"), Self.testCase("DENY", uid: "eve"),
        Self.testCase("ALLOW", uid: "eve"),
      ]
      let suite = #""testSuite":{"testCases":[\#(cases.joined(separator: ","))]}"#
      let given = try await routes.call(
        "POST /v1/projects/p:test",
        body: RulesText.body(Self.owned, more: "," + suite)
      )
      let states = given["testResults"]?.elements?.map { $0["state"]?.string }
      #expect(states == ["SUCCESS", "SUCCESS", "FAILURE"])
      let id = try await routes.createRuleset(Self.owned)
      let kept = try await routes.call(
        "POST /v1/projects/p/rulesets/\(id):test",
        body: "{\(suite)}"
      )
      #expect(kept.json == given.json)
    }
  }

  @Test func `issues of a source are a response and no error`() async throws {
    try await RulesServer.run { routes, server in
      let broken = RulesText.firestore("match /a/{b} { allow read: if ; }")
      let response = try await routes.call(
        "POST /v1/projects/p:test",
        body: RulesText.body(broken)
      )
      #expect(response.outcome == "200")
      let issue = try #require(response["issues"]?.elements?.first)
      #expect(issue["severity"]?.string == "ERROR")
      #expect(issue["sourcePosition"]?["fileName"]?.string == "firestore.rules")
      #expect(issue["sourcePosition"]?["line"]?.integer == 4)
      #expect(try server.rules.rulesets(of: "p").isEmpty)
    }
  }

  @Test func `a case reports its expressions where it asks`() async throws {
    try await RulesServer.run { routes, _ in
      let suites = ["NONE", "FULL", "VISITED"].map {
        Self.testCase("ALLOW", uid: "ana", more: #","expressionReportLevel":"\#($0)""#)
      }
      let response = try await routes.call(
        "POST /v1/projects/p:test",
        body: RulesText.body(
          Self.owned,
          more: #","testSuite":{"testCases":[\#(suites.joined(separator: ","))]}"#
        )
      )
      let members = response["testResults"]?.elements?.map { $0.members?.map(\.key) ?? [] }
      #expect(
        members == [["state"], ["state", "expressionReports"], ["state", "visitedExpressions"]]
      )
    }
  }

  static let wrongBodies: [(suite: String, message: String)] = [
    ("7", "testSuite must be an object."),
    (#"{"testCases":7}"#, "testSuite.testCases must be a list."),
    (#"{"testCases":[7]}"#, "testCases[0] must be an object."),
    (#"{"testCases":[{}]}"#, "testCases[0].expectation must be ALLOW or DENY."),
    (
      #"{"testCases":[{"expectation":"ALLOW"}]}"#, "testCases[0].request must be an object."
    ),
    (
      #"{"testCases":[{"expectation":"ALLOW","request":{"method":"peek"}}]}"#,
      "testCases[0].request.method must be get, list, create, update or delete."
    ),
    (
      #"{"testCases":[{"expectation":"ALLOW","request":{"method":"get","path":"/a"}}]}"#,
      "testCases[0].request.path must be /databases/{database}/documents/… or /b/{bucket}/o/…."
    ),
    (
      #"{"testCases":[{"expectation":"DENY","expressionReportLevel":"ALL"}]}"#,
      "testCases[0].expressionReportLevel must be NONE, FULL or VISITED."
    ),
    (
      #"{"testCases":[{"expectation":"DENY","pathEncoding":"ROT13"}]}"#,
      "testCases[0].pathEncoding must be URL_ENCODED or PLAIN."
    ),
  ]

  @Test(arguments: wrongBodies)
  func `a wrong suite is refused`(suite: String, message: String) async throws {
    try await RulesServer.run { routes, _ in
      let response = try await routes.call(
        "POST /v1/projects/p:test",
        body: RulesText.body(RulesText.open, more: #","testSuite":\#(suite)"#)
      )
      #expect(response.outcome == "400 INVALID_ARGUMENT \(message)")
    }
  }
}
