import BaseJSON
import RulesAPI
import ServiceModule
import ServiceTestSupport

/// The rules API over an engine in memory.
enum RulesServer {
  static func run(
    isDevelopment: Bool = false,
    test: (TestRoutes, TestServer) async throws -> Void
  ) async throws {
    try await TestServer.run(isDevelopment: isDevelopment) { server in
      .rules(
        server.rules,
        access: server.access,
        threads: server.threads,
        isDevelopment: isDevelopment
      )
    } test: { routes, server in
      try await test(routes, server)
    }
  }
}

/// Rules as texts and as bodies of requests.
enum RulesText {
  static let open = firestore("match /{any=**} { allow read, write: if true; }")
  static let shut = firestore("match /{any=**} { allow read, write: if false; }")
  static let storage = """
    rules_version = '2';
    service firebase.storage { match /b/{bucket}/o { match /{all=**} { allow read; } } }
    """

  static func firestore(_ statements: String) -> String {
    """
    rules_version = '2';
    service cloud.firestore {
      match /databases/{database}/documents {
        \(statements)
      }
    }
    """
  }

  /// A request with the source, and more members behind it.
  static func body(_ content: String, more: String = "") -> String {
    #"{"source":\#(source(content))\#(more)}"#
  }

  /// The `source` of one file.
  static func source(_ content: String) -> String {
    JSONValue.object([
      .init(
        "files",
        .array([
          .object([
            .init("name", .string("firestore.rules")), .init("content", .string(content)),
          ])
        ])
      )
    ]).compact
  }
}

extension TestRoutes {
  /// Keeps a ruleset of project `p` and gives its id.
  func createRuleset(_ content: String) async throws -> String {
    let made = try await call("POST /v1/projects/p/rulesets", body: RulesText.body(content))
    return String((made["name"]?.string ?? "").dropFirst("projects/p/rulesets/".count))
  }

  /// Puts a ruleset in force under a name.
  func release(_ id: String, to name: String = "cloud.firestore") async throws -> TestResponse {
    try await call(
      "PATCH /v1/projects/p/releases/\(name)",
      body: #"{"release":{"rulesetName":"projects/p/rulesets/\#(id)"}}"#
    )
  }
}
