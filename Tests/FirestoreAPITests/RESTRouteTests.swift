import FirestoreWire
import HTTPTypes
import ServiceModule
import ServiceTestSupport
import Testing

/// Firestore's REST API, call by call.
@Suite struct RESTRouteTests {
  private static let documents = FirestoreServer.documents
  private static let name = "projects/p/databases/(default)/documents"
  private static let denied = "403 PERMISSION_DENIED Missing or insufficient permissions."

  /// A call of each method that REST has.
  struct Call: Sendable, CustomStringConvertible {
    let method: RPCMethod
    let request: String
    var body = ""
    /// The outcome for an administrator where `a/b` is the only document.
    var outcome = "200"

    var description: String { method.rawValue }
  }

  static let calls: [Call] = [
    Call(method: .getDocument, request: "GET \(documents)/a/b"),
    Call(method: .listDocuments, request: "GET \(documents)/a"),
    Call(method: .createDocument, request: "POST \(documents)/a?documentId=c", body: "{}"),
    Call(method: .updateDocument, request: "PATCH \(documents)/a/b", body: #"{"fields":{}}"#),
    Call(method: .deleteDocument, request: "DELETE \(documents)/a/b"),
    Call(
      method: .batchGetDocuments,
      request: "POST \(documents):batchGet",
      body: #"{"documents":["\#(name)/a/b"]}"#
    ),
    Call(method: .beginTransaction, request: "POST \(documents):beginTransaction", body: "{}"),
    Call(
      method: .commit,
      request: "POST \(documents):commit",
      body: #"{"writes":[{"delete":"\#(name)/a/b"}]}"#
    ),
    Call(
      method: .rollback,
      request: "POST \(documents):rollback",
      body: #"{"transaction":"AAAA"}"#,
      outcome: "400 INVALID_ARGUMENT"
    ),
    Call(
      method: .runQuery,
      request: "POST \(documents):runQuery",
      body: #"{"structuredQuery":{"from":[{"collectionId":"a"}]}}"#
    ),
    Call(
      method: .executePipeline,
      request: "POST \(documents):executePipeline",
      body: #"{"structuredPipeline":{"pipeline":{"stages":[{"name":"database"}]}}}"#
    ),
    Call(
      method: .runAggregationQuery,
      request: "POST \(documents):runAggregationQuery",
      body: #"{"structuredAggregationQuery":{"aggregations":[{"count":{}}],"#
        + #""structuredQuery":{"from":[{"collectionId":"a"}]}}}"#
    ),
    Call(
      method: .partitionQuery,
      request: "POST \(documents):partitionQuery",
      body: #"{"partitionCount":"2","structuredQuery":{"from":[{"collectionId":"a","#
        + #""allDescendants":true}],"orderBy":[{"field":{"fieldPath":"__name__"}}]}}"#
    ),
    Call(method: .listCollectionIDs, request: "POST \(documents):listCollectionIds", body: "{}"),
    Call(
      method: .batchWrite,
      request: "POST \(documents):batchWrite",
      body: #"{"writes":[{"delete":"\#(name)/a/b"}]}"#
    ),
  ]

  @Test func `every route and every method is named here`() async throws {
    try await FirestoreServer.run { routes, _ in
      let patterns = ["v1", "v1beta1"].flatMap { version in
        let databases = "/\(version)/projects/{project}/databases"
        let backups = "/\(version)/projects/{project}/locations/{location}/backups"
        return [databases, "\(databases)/{database}/documents"].flatMap {
          [$0, "\($0):{verb}", "\($0)/{path=**}"]
        } + [backups, "\(backups)/{backup}"]
      }
      let names = patterns.flatMap { pattern in
        HTTPRoute.everyMethod.map { "\($0.rawValue) \(pattern)" }
      }
      #expect(routes.names == Set(names))
    }
    // Streams of both sides are WebChannel's and gRPC's.
    let named = Self.calls.map(\.method) + [.listen, .write]
    #expect(Set(named) == Set(RPCMethod.allCases))
  }

  /// An error of a streaming method comes in a list.
  private static func outcome(_ response: TestResponse) -> String {
    guard let error = response.json.elements?.first?["error"], response.status >= 400 else {
      return response.outcome
    }
    return "\(response.status) \(error["status"]?.string ?? "") \(error["message"]?.string ?? "")"
  }

  @Test(arguments: calls)
  func `a method is called by administrators of the project and nobody else`(
    _ call: Call
  ) async throws {
    try await FirestoreServer.run { routes, _ in
      try await routes.put("a/b")
      let lowRole = "403 PERMISSION_DENIED Your role does not allow this."
      let refusals: [(caller: TestCaller, outcome: String)] = [
        (.stranger, Self.denied), (.user(), Self.denied), (.user(of: "q"), Self.denied),
        (.forger, "401 UNAUTHENTICATED Missing or invalid authentication."),
        (.administrator(.owner, of: "q"), Self.denied),
      ]
      for (caller, outcome) in refusals {
        let response = try await routes.call(call.request, as: caller, body: call.body)
        #expect(Self.outcome(response) == outcome, "\(caller)")
      }
      if !call.method.isReading {
        for viewer in [TestCaller.administrator(.viewer), .administrator(.viewer, of: "p")] {
          let response = try await routes.call(call.request, as: viewer, body: call.body)
          #expect(Self.outcome(response) == lowRole, "\(viewer)")
        }
      }
      #expect(try await routes.number("a/b") == "1")
      let least = TestCaller.administrator(call.method.isReading ? .viewer : .editor, of: "p")
      let response = try await routes.call(call.request, as: least, body: call.body)
      #expect(Self.outcome(response).hasPrefix(call.outcome), "\(Self.outcome(response))")
    }
  }

  @Test func `documents are made, changed, read and deleted`() async throws {
    try await FirestoreServer.run { routes, _ in
      let made = try await routes.call(
        "POST \(Self.documents)/a?documentId=b",
        body: #"{"fields":{"n":{"integerValue":"1"}}}"#
      )
      #expect(made["name"]?.string == "\(Self.name)/a/b")
      let again = try await routes.call("POST \(Self.documents)/a?documentId=b", body: "{}")
      #expect(again.outcome.hasPrefix("409 ALREADY_EXISTS "))
      try await routes.put("a/b", 2)
      #expect(try await routes.number("a/b") == "2")
      let listed = try await routes.call("GET \(Self.documents)/a")
      #expect(listed["documents"]?.elements?.map { $0["name"]?.string } == ["\(Self.name)/a/b"])
      let collections = try await routes.call("POST \(Self.documents):listCollectionIds")
      #expect(collections["collectionIds"]?.compact == #"["a"]"#)
      #expect(try await routes.call("DELETE \(Self.documents)/a/b").text == "{}")
      let gone = try await routes.call("GET \(Self.documents)/a/b")
      #expect(gone.outcome.hasPrefix("404 NOT_FOUND "))
    }
  }

  @Test func `queries and counts are lists of parts`() async throws {
    try await FirestoreServer.run { routes, _ in
      for number in 1...3 { try await routes.put("a/\(number)", number) }
      let query =
        #""structuredQuery":{"from":[{"collectionId":"a"}],"where":{"fieldFilter":"#
        + #"{"field":{"fieldPath":"n"},"op":"GREATER_THAN","value":{"integerValue":"1"}}}}"#
      let found = try await routes.call("POST \(Self.documents):runQuery", body: "{\(query)}")
      #expect(
        found.json.elements?.compactMap { $0["document"]?["name"]?.string }
          == ["\(Self.name)/a/2", "\(Self.name)/a/3"]
      )
      let counted = try await routes.call(
        "POST \(Self.documents):runAggregationQuery",
        body: #"{"structuredAggregationQuery":{"aggregations":[{"count":{},"alias":"all"}],"#
          + "\(query)}}"
      )
      let fields = counted.json.elements?.first?["result"]?["aggregateFields"]
      #expect(fields?["all"]?["integerValue"]?.string == "2")
    }
  }

  @Test func `a transaction is committed once, and another is rolled back`() async throws {
    try await FirestoreServer.run { routes, _ in
      func begin() async throws -> String {
        let begun = try await routes.call("POST \(Self.documents):beginTransaction", body: "{}")
        return try #require(begun["transaction"]?.string)
      }
      let first = try await begin()
      let commit =
        #"{"transaction":"\#(first)","writes":[{"update":{"name":"\#(Self.name)/a/b","#
        + #""fields":{"n":{"integerValue":"1"}}}}]}"#
      let committed = try await routes.call("POST \(Self.documents):commit", body: commit)
      #expect(committed.outcome == "200")
      #expect(try await routes.number("a/b") == "1")
      let late = try await routes.call("POST \(Self.documents):commit", body: commit)
      #expect(
        late.outcome
          == "409 ABORTED The referenced transaction has expired or is no longer valid."
      )
      let second = try await begin()
      let body = #"{"transaction":"\#(second)"}"#
      let rolledBack = try await routes.call("POST \(Self.documents):rollback", body: body)
      #expect(rolledBack.text == "{}")
    }
  }

  @Test func `the rules decide on users and strangers`() async throws {
    let rules = "match /notes/{id} { allow read, write: if request.auth.uid == id; }"
    try await FirestoreServer.run(rules: rules) { routes, _ in
      try await routes.put("notes/ana", as: .user())
      #expect(try await routes.number("notes/ana", as: .user()) == "1")
      for caller in [TestCaller.stranger, .user("eve"), .user(of: "q")] {
        let read = try await routes.call("GET \(Self.documents)/notes/ana", as: caller)
        #expect(read.outcome == Self.denied, "\(caller)")
        let write = try await routes.call(
          "PATCH \(Self.documents)/notes/ana",
          as: caller,
          body: #"{"fields":{}}"#
        )
        #expect(write.outcome == Self.denied, "\(caller)")
      }
      #expect(try await routes.number("notes/ana") == "1")
    }
  }

  static let wrongBodies: [(request: String, body: String, outcome: String)] = [
    (
      "PATCH \(documents)/a/b", "{", "400 INVALID_ARGUMENT Invalid JSON payload received. "
    ),
    ("PATCH \(documents)/a/b", "[]", "400 INVALID_ARGUMENT "),
    ("PATCH \(documents)/a/b", #"{"color":1}"#, "400 INVALID_ARGUMENT Invalid JSON payload "),
    (
      "PATCH \(documents)/a/b", #"{"fields":{"n":{"integerValue":"x"}}}"#, "400 INVALID_ARGUMENT "
    ),
    ("PATCH \(documents)/a/b", #"{"fields":{"n":7}}"#, "400 INVALID_ARGUMENT "),
    ("POST \(documents):commit", #"{"writes":7}"#, "400 INVALID_ARGUMENT "),
    (
      "POST \(documents):commit",
      #"{"writes":[{"delete":"projects/q/databases/(default)/documents/a/b"}]}"#,
      "400 INVALID_ARGUMENT "
    ),
    ("POST \(documents):runQuery", "{}", "400 INVALID_ARGUMENT "),
    ("POST \(documents):batchGet", #"{"documents":["a"]}"#, "400 INVALID_ARGUMENT "),
    ("GET \(documents)/a?pageSize=x", "", "400 INVALID_ARGUMENT "),
    ("GET \(documents)/a%2Fb/c", "", "400 INVALID_ARGUMENT "),
    ("GET \(documents)/__a__/b", "", "400 INVALID_ARGUMENT "),
  ]

  @Test(arguments: wrongBodies)
  func `a wrong request is refused and changes nothing`(
    request: String,
    body: String,
    outcome: String
  ) async throws {
    try await FirestoreServer.run { routes, _ in
      try await routes.put("a/b")
      let response = try await routes.call(request, body: body)
      #expect(Self.outcome(response).hasPrefix(outcome), "\(Self.outcome(response))")
      #expect(try await routes.number("a/b") == "1")
    }
  }

  @Test func `a body beyond the limit is refused with the limit`() async throws {
    try await FirestoreServer.run(bodyLimit: 100) { routes, _ in
      let response = try await routes.call(
        "PATCH \(Self.documents)/a/b",
        body: #"{"fields":{"s":{"stringValue":"\#(String(repeating: "s", count: 100))"}}}"#
      )
      #expect(response.outcome.hasPrefix("400 INVALID_ARGUMENT "), "\(response.outcome)")
    }
  }

  @Test func `a path that no method has is not found`() async throws {
    try await FirestoreServer.run { routes, _ in
      for request in [
        "PUT \(Self.documents)/a/b", "DELETE \(Self.documents)/a", "POST \(Self.documents)/a/b",
        "GET \(Self.documents)",
      ] {
        let path = request.split(separator: " ")[1]
        let response = try await routes.call(request, body: "{}")
        #expect(response.outcome == "404 NOT_FOUND The server has no route \(path).", "\(request)")
      }
    }
  }
}
