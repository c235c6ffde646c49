import FirestoreModel
import FirestoreWire
import SwiftProtobuf
import Testing

@Suite("REST routes")
struct RouteTests {
  private static let root = "/v1/projects/p/databases/(default)/documents"
  private static let transcoder = RESTTranscoder()

  @Test(arguments: [
    ("GET", "/c/d", RPCMethod.getDocument), ("GET", "/c/d/e/f", .getDocument),
    ("GET", "/c", .listDocuments), ("GET", "/c/d/e", .listDocuments), ("GET", "/", .listDocuments),
    ("GET", "/c/d/", .listDocuments), ("POST", "/c", .createDocument),
    ("POST", "/c/d/e", .createDocument), ("POST", "/a:b", .createDocument),
    ("PATCH", "/c/d", .updateDocument), ("DELETE", "/c/d", .deleteDocument),
    ("GET", "/c/a:runQuery", .getDocument), ("POST", ":batchGet", .batchGetDocuments),
    ("POST", ":beginTransaction", .beginTransaction), ("POST", ":commit", .commit),
    ("POST", ":rollback", .rollback), ("POST", ":batchWrite", .batchWrite),
    ("POST", ":executePipeline", .executePipeline), ("POST", ":write", .write),
    ("POST", ":listen", .listen), ("POST", ":runQuery", .runQuery),
    ("POST", "/c/d:runQuery", .runQuery), ("POST", "/c/a:b:runQuery", .runQuery),
    ("POST", ":runAggregationQuery", .runAggregationQuery),
    ("POST", "/c/d:partitionQuery", .partitionQuery),
    ("POST", ":listCollectionIds", .listCollectionIDs),
    ("POST", "/c/d:listCollectionIds", .listCollectionIDs),
  ])
  func `a path leads to its method`(verb: String, path: String, method: RPCMethod) throws {
    #expect(try Self.transcoder.route(method: verb, path: Self.root + path) == method)
    let beta = "/v1beta1" + Self.root.dropFirst(3) + path
    #expect(try Self.transcoder.route(method: verb, path: beta) == method)
  }

  @Test(arguments: [
    ("GET", ""), ("POST", ""), ("PUT", "/c/d"), ("PATCH", "/c"), ("DELETE", "/c"),
    ("POST", "/c/d"), ("POST", "/c/d:commit"), ("POST", "/c:runQuery"), ("POST", ":nothing"),
    ("GET", ":runQuery"),
  ])
  func `other paths lead nowhere`(verb: String, path: String) throws {
    #expect(try Self.transcoder.route(method: verb, path: Self.root + path) == nil)
  }

  @Test(arguments: [
    "/", "", "/v2/projects/p/databases/d/documents/c/d", "/v1/projects/p/databases/d",
    "/v1/projects/p/databases/d/collectionGroups/c/indexes", "v1/projects/p",
  ])
  func `paths of others lead nowhere`(path: String) throws {
    #expect(try Self.transcoder.route(method: "GET", path: path) == nil)
  }

  @Test func `the path is cut before it is decoded`() throws {
    let call = try #require(
      try Self.transcoder
        .call(method: "GET", path: Self.root + "/c%20d/%C3%A9%3A", query: nil, body: [])
    )
    let request = try GetDocumentRequest(decoding: call.request)
    #expect(request.name.path.segments == ["c d", "é:"])
    expectError(#"Resource id "a/b" is invalid because it contains "/"."#) {
      try Self.transcoder.route(method: "GET", path: Self.root + "/c/a%2Fb")
    }
    for path in ["/c/%", "/c/%4", "/c/%zz", "/c/%FF"] {
      let segment = path.dropFirst(3)
      expectError(#"The URL's path has a malformed escape: "\#(segment)"."#) {
        try Self.transcoder.route(method: "GET", path: Self.root + path)
      }
    }
  }

  @Test func `parameters become fields`() throws {
    let query =
      "pageSize=3&page_token=t&orderBy=a+desc%2Cb&mask.fieldPaths=a&mask.field_paths=b.c"
      + "&readTime=2026-01-02T03:04:05.678901Z&showMissing=false&key=k&prettyPrint=true&$alt=json"
    let call = try #require(
      try Self.transcoder.call(method: "GET", path: Self.root + "/c", query: query, body: [])
    )
    let request = try ListDocumentsRequest(decoding: call.request)
    #expect(request.pageSize == 3 && request.pageToken == "t" && !request.showMissing)
    #expect(request.orders == [Order(path("a"), .descending), Order(path("b"))])
    #expect(request.mask == [path("a"), path("b.c")])
    #expect(request.consistency == .readTime(Timestamp(microseconds: 1_767_323_045_678_901)))
  }

  @Test func `a patch takes its masks and condition from the query, its name from the path`() throws
  {
    let call = try #require(
      try Self.transcoder.call(
        method: "PATCH",
        path: Self.root + "/c/d",
        query: "updateMask.fieldPaths=a&mask.fieldPaths=b&currentDocument.exists=true",
        body: Array(#"{"name":"other","fields":{"a":{"integerValue":"1"}}}"#.utf8)
      )
    )
    let request = try UpdateDocumentRequest(decoding: call.request)
    #expect(request.write.name == name("c/d"))
    #expect(request.write.precondition == .exists(true))
    #expect(request.mask == [path("b")])
    guard case .update(let fields, let mask) = request.write.operation else {
      Issue.record("no update")
      return
    }
    #expect(mask == [path("a")] && fields.value(at: path("a")) == .integer(1))
  }

  @Test func `a create takes its id from the query`() throws {
    let call = try #require(
      try Self.transcoder.call(
        method: "POST",
        path: Self.root + "/c",
        query: "documentId=x&mask.fieldPaths=a",
        body: Array("{}".utf8)
      )
    )
    var random = SystemRandomNumberGenerator()
    let request = try CreateDocumentRequest(decoding: call.request, using: &random)
    #expect(request.write.name == name("c/x") && request.mask == [path("a")])
  }

  @Test func `a body with the rest of the request`() throws {
    let call = try #require(
      try Self.transcoder.call(
        method: "POST",
        path: Self.root + "/c/d:runQuery",
        query: "alt=json",
        body: Array(#" {"structuredQuery":{"from":[{"collectionId":"e"}],"limit":5}} "#.utf8)
      )
    )
    let request = try RunQueryRequest(decoding: call.request)
    #expect(request.parent.path == name("c/d").path)
    #expect(request.query.scope == .collection("e") && request.query.limit == 5)
  }

  private static let refused: [(String, String, String?, String, String)] = [
    (
      "GET", "/c/d", "foo=1", "",
      #"Invalid JSON payload received. Unknown name "foo": Cannot bind query parameter. Field "#
        + "'foo' could not be found in request message."
    ),
    (
      "GET", "/c/d", "name=x", "",
      #"Invalid JSON payload received. Unknown name "name": Cannot bind query parameter. Field "#
        + "'name' could not be found in request message."
    ),
    (
      "GET", "/c/d", "mask=x", "",
      #"Invalid JSON payload received. Unknown name "mask": Cannot bind query parameter. Field "#
        + "'mask' could not be found in request message."
    ),
    ("GET", "/c", "pageSize=x", "", "Invalid value at 'page_size' (TYPE_INT32), \"x\""),
    ("GET", "/c", "showMissing=1", "", "Invalid value at 'show_missing' (TYPE_BOOL), \"1\""),
    ("GET", "/c", "a=%", "", #"The URL's query has a malformed escape: "a=%"."#),
    ("GET", "/c/d", nil, "{\"a\":1}", "Invalid JSON payload received. The request takes no body."),
    (
      "POST", ":commit", "foo=1", "{}",
      #"Invalid JSON payload received. Unknown name "foo": Cannot bind query parameter. Field "#
        + "'foo' could not be found in request message."
    ),
    ("POST", ":commit", nil, "[]", "Invalid JSON payload received. Expected an object."),
  ]

  @Test(arguments: refused.indices)
  func `what a request is refused`(index: Int) {
    let (method, path, query, body, message) = Self.refused[index]
    expectError(message) {
      try Self.transcoder
        .call(method: method, path: Self.root + path, query: query, body: Array(body.utf8))
    }
  }
}
