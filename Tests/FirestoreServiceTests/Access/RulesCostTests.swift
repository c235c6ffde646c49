import AccessTestSupport
import Testing

@testable import Access
@testable import FirestoreService

/// Tests of the cost of rules in reads of the engine.
struct RulesCostTests {
  /// A request, as REST has it.
  struct Request: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let method: String
    let path: String
    var body = ""
  }

  private static let query = #""structuredQuery":{"from":[{"collectionId":"d"}]}"#
  private static let fields = #""fields":{"level":{"integerValue":3}}"#
  private static let name = "projects/p/databases/(default)/documents/d/x"

  static let requests: [Request] = [
    Request(testDescription: "get", method: "GET", path: "/d/x"),
    Request(testDescription: "list", method: "GET", path: "/d"),
    Request(
      testDescription: "batch get",
      method: "POST",
      path: ":batchGet",
      body: #"{"documents":["\#(name)"]}"#
    ),
    Request(testDescription: "query", method: "POST", path: ":runQuery", body: "{\(query)}"),
    Request(
      testDescription: "count",
      method: "POST",
      path: ":runAggregationQuery",
      body: #"{"structuredAggregationQuery":{"aggregations":[{"count":{}}],\#(query)}}"#
    ),
    Request(
      testDescription: "update",
      method: "POST",
      path: ":commit",
      body: #"{"writes":[{"update":{"name":"\#(name)",\#(fields)}}]}"#
    ),
  ]

  @Test(arguments: requests)
  func `a get() in a rule adds one engine read`(request: Request) async throws {
    let engine = CountingEngine()
    let fixture = try ServiceFixture(
      rules: "match /d/{id} { allow read; }",
      engine: engine,
      cachedBytes: 0
    )
    defer { fixture.close() }
    let owner = ServiceFixture.context(authorization: "Bearer owner")
    for path in ["d/x", "roles/alice"] {
      _ = try await fixture.call(
        "PATCH",
        "/\(path)",
        "{\(Self.fields)}",
        context: owner
      )
    }
    let conditions = [
      "request.auth.uid == 'alice'",
      "get(/databases/$(database)/documents/roles/$(request.auth.uid)).data.level == 3",
      "allowed(request.auth.uid) && exists(/databases/$(database)/documents/roles/none) == false",
    ]
    let function = """
      function allowed(uid) {
        return get(/databases/$(database)/documents/roles/$(uid)).data.level == 3;
      }
      """
    var counts: [Int] = []
    for condition in conditions {
      try fixture.deploy(
        "\(function) match /d/{id} { allow read, write: if \(condition); }"
      )
      _ = engine.takeGets()
      _ = try await fixture.call(
        request.method,
        request.path,
        request.body,
        context: ServiceFixture.context(
          authorization: TestTokens.bearer("alice", isSigned: false),
          memory: CallerMemory()
        )
      )
      counts.append(engine.takeGets())
    }
    #expect(counts == [counts[0], counts[0] + 1, counts[0] + 2])
  }
}
