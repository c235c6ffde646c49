import AccessTestSupport
import FirestoreAPI
import FirestoreModel
import FirestoreService
import ServiceModule
import ServiceTestSupport
import Testing

/// Firestore over a store in memory.
enum FirestoreServer {
  static let database = "/v1/projects/p/databases/(default)"
  static let documents = "\(database)/documents"

  /// Runs a test in production; the rules are those of project `p` where there are any.
  static func run(
    rules: String? = nil,
    bodyLimit: Int = 1 << 20,
    test: (TestRoutes, TestServer) async throws -> Void
  ) async throws {
    try await TestServer.run { server in
      if let rules {
        try server.rules.deploy(statements: rules, in: DatabaseID(project: "p"))
      }
      let service = FirestoreService(
        rules: server.rules,
        access: server.access,
        threads: server.threads,
        listeners: nil,
        log: server.notes.logger
      )
      return .firestore(service, bodyLimit: bodyLimit)
    } test: { routes, server in
      try await test(routes, server)
    }
  }

  /// Runs a test with development's helper routes beside the documents'.
  static func runEmulator(test: (TestRoutes) async throws -> Void) async throws {
    try await TestServer.runAll(isDevelopment: true) { server in
      let service = FirestoreService(
        rules: server.rules,
        access: server.access,
        threads: server.threads,
        listeners: nil,
        log: server.notes.logger
      )
      let operations = EmulatorOperations(access: server.access, threads: server.threads)
      return [.firestore(service, bodyLimit: 1 << 20), .firestoreEmulator(operations)]
    } test: { routes, _ in
      try await test(routes)
    }
  }
}

extension TestRoutes {
  /// Writes a document with the integer field `n`.
  func put(_ path: String, _ number: Int = 1, as caller: TestCaller = .key) async throws {
    let response = try await call(
      "PATCH \(FirestoreServer.documents)/\(path)",
      as: caller,
      body: #"{"fields":{"n":{"integerValue":"\#(number)"}}}"#
    )
    #expect(response.outcome == "200", "\(response.text)")
  }

  /// The field `n` of a document; nil where there is no such document.
  func number(_ path: String, as caller: TestCaller = .key) async throws -> String? {
    let response = try await call("GET \(FirestoreServer.documents)/\(path)", as: caller)
    return response["fields"]?["n"]?["integerValue"]?.string
  }
}
