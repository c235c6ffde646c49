import AccessTestSupport
import BaseStatus
import FirestoreModel
import FirestoreWire
import Realtime
import Testing

@testable import Access
@testable import FirestoreService

/// Tests of an attacker's ways in beside a plain request: one test for each.
struct ChokePointTests {
  private static let database = DatabaseID(project: "p")
  private static let secret = "secret of bob"

  private func fixture(listening feed: CommitFeed? = nil) async throws -> ServiceFixture {
    let fixture = try ServiceFixture(
      .production(key: AdministratorKey(MatrixCaller.key)),
      verifier: TestVerifier(),
      rules: MatrixOperation.rules,
      listening: feed
    )
    try await fixture.fillForMatrix(Self.database)
    return fixture
  }

  /// The answer; throws the refusal.
  private func call(
    _ fixture: ServiceFixture,
    _ caller: MatrixCaller,
    _ method: String,
    _ path: String,
    _ body: String = "",
    root: String = ServiceFixture.root
  ) async throws -> String {
    let context = ServiceFixture.context(authorization: caller.authorization)
    return try await fixture.call(method, path, body, root: root, context: context).joined()
  }

  /// The code of what must be refused.
  private func refusal(
    _ fixture: ServiceFixture,
    _ caller: MatrixCaller,
    _ method: String,
    _ path: String,
    _ body: String = "",
    root: String = ServiceFixture.root
  ) async -> StatusCode? {
    let error = await #expect(throws: ServiceError.self) {
      try await call(fixture, caller, method, path, body, root: root)
    }
    #expect(error.map { !"\($0)".contains(Self.secret) } ?? false)
    return error?.code
  }

  private static func updating(
    _ path: String,
    _ owner: String,
    in transaction: String? = nil
  )
    -> String
  {
    let write: String = MatrixOperation.updating(ServiceFixture.documents, path, owner: owner)
    let ending = transaction.map { #","transaction":"\#($0)""# } ?? ""
    return #"{"writes":[\#(write)]\#(ending)}"#
  }

  private func begin(_ fixture: ServiceFixture, _ caller: MatrixCaller) async throws -> String {
    let answer = try await call(fixture, caller, "POST", ":beginTransaction", "{}")
    return try #require(answer.split(separator: "\"").map(String.init).last { $0.count > 15 })
  }

  private static func reading(_ path: String, in transaction: String) -> String {
    #"{"documents":["\#(ServiceFixture.documents)/\#(path)"],"transaction":"\#(transaction)"}"#
  }

  // MARK: Transactions

  @Test func `a commit does not tell whether what was denied has changed`() async throws {
    let fixture = try await fixture()
    defer { fixture.close() }
    let transaction = try await begin(fixture, .alice)
    let denied = Self.reading("products/b1", in: transaction)
    #expect(await refusal(fixture, .alice, "POST", ":batchGet", denied) == .permissionDenied)
    _ = try await call(
      fixture,
      .administrator,
      "POST",
      ":commit",
      Self.updating("products/b1", "bob")
    )
    let mine = Self.updating("products/a1", "alice", in: transaction)
    #expect(try await call(fixture, .alice, "POST", ":commit", mine).contains("commitTime"))
  }

  @Test(arguments: [(MatrixCaller.nobody, "news/n1"), (.alice, "products/b1")])
  func `who may read, or not even that, keeps nobody from writing`(
    caller: MatrixCaller,
    path: String
  ) async throws {
    let fixture = try await fixture()
    defer { fixture.close() }
    let transaction = try await begin(fixture, caller)
    let reading = Self.reading(path, in: transaction)
    let answer = try? await call(fixture, caller, "POST", ":batchGet", reading)
    #expect((answer != nil) == (caller == .nobody))
    // Behind a lock on the document this would wait for the transaction, which does not end,
    // and be refused.
    _ = try await call(fixture, .administrator, "POST", ":commit", Self.updating(path, "bob"))
  }

  @Test func `who lost a right reads neither now nor in the past`() async throws {
    let fixture = try await fixture()
    defer { fixture.close() }
    let time = try fixture.readTime(of: Self.database)
    let early = TimestampText.format(seconds: time.seconds, nanos: time.nanos)
    let begun = try await begin(fixture, .bob)
    let reading = Self.reading("products/b1", in: begun)
    #expect(try await call(fixture, .bob, "POST", ":batchGet", reading).contains(Self.secret))
    let given = Self.updating("products/b1", "alice")
    _ = try await call(fixture, .administrator, "POST", ":commit", given)
    let past = "/products/b1?readTime=\(early)"
    for path in ["/products/b1", past] {
      #expect(await refusal(fixture, .bob, "GET", path) == .permissionDenied)
    }
    let options = #"{"options":{"readOnly":{"readTime":"\#(early)"}}}"#
    let beginning = await refusal(fixture, .bob, "POST", ":beginTransaction", options)
    #expect(beginning == .permissionDenied)
    #expect(try await call(fixture, .administrator, "GET", past).contains(Self.secret))
    // A transaction goes on at the time that the server chose for it.
    #expect(try await call(fixture, .bob, "POST", ":batchGet", reading).contains(Self.secret))
  }

  @Test func `rules that change between a read and the commit decide on the commit`() async throws {
    let fixture = try await fixture()
    defer { fixture.close() }
    let transaction = try await begin(fixture, .alice)
    let reading = Self.reading("products/a1", in: transaction)
    #expect(try await call(fixture, .alice, "POST", ":batchGet", reading).contains("alice"))
    try fixture.deploy("match /products/{id} { allow read; }")
    let mine = Self.updating("products/a1", "alice", in: transaction)
    #expect(await refusal(fixture, .alice, "POST", ":commit", mine) == .permissionDenied)
  }

  @Test func `another's transaction opens nothing`() async throws {
    let fixture = try await fixture()
    defer { fixture.close() }
    let transaction = try await begin(fixture, .bob)
    let own = Self.reading("products/b1", in: transaction)
    #expect(try await call(fixture, .bob, "POST", ":batchGet", own).contains(Self.secret))
    for (path, body) in [
      (":batchGet", own), (":commit", Self.updating("products/b1", "bob", in: transaction)),
      (
        ":runQuery",
        #"{"transaction":"\#(transaction)","structuredQuery":{"from":[{"collectionId":"products"}]}}"#
      ),
    ] {
      #expect(await refusal(fixture, .alice, "POST", path, body) == .permissionDenied)
    }
  }

  // MARK: Names

  @Test(arguments: [
    "/products/b1", "/products/%621", "/products%2Fb1", "/news/..%2F..%2Fproducts%2Fb1",
    "/news/../products/b1", "/news/n1/../../products/b1", "/products/./b1", "/products//b1",
    "//products/b1", "/products/b1/", "/products/b1%00", "/products%00/b1", "/Products/b1",
    "/products/B1", "/products/b1%20", "/products/%E2%80%8Bb1", "/products/b%CC%811",
    "/news/n1/products/b1", "/products/b1?mask.fieldPaths=secret", "/products/__id1__",
    "/products/b1?readTime=2100-01-01T00:00:00Z", "/products/b1;x=1", "/products/b1%23",
  ])
  func `names that are written otherwise reach nothing more`(path: String) async throws {
    let fixture = try await fixture()
    defer { fixture.close() }
    for method in ["GET", "PATCH", "DELETE"] {
      let before = try fixture.contents()
      let code = await refusal(fixture, .alice, method, path, method == "PATCH" ? "{}" : "")
      #expect([.permissionDenied, .invalidArgument, .notFound].contains(code), "\(method)")
      #expect(try fixture.contents() == before)
    }
  }

  @Test(arguments: [
    "/v1beta1/projects/p/databases/(default)/documents",
    "/v1/projects/p/databases/%28default%29/documents",
    "/v1/projects/%70/databases/(default)/documents", "/v1/projects/p/databases//documents",
    "/v1/projects/p/databases/(DEFAULT)/documents", "/v1/projects/P/databases/(default)/documents",
    "/v1/projects/p%2Fdatabases%2F(default)/databases/x/documents",
    "/v1/projects/p/databases/(default)%2Fdocuments/documents",
    "/v1/projects/p/databases/orders/documents", "/v1/projects/q/databases/(default)/documents",
  ])
  func `databases that are written otherwise are the same or none`(root: String) async throws {
    let fixture = try await fixture()
    defer { fixture.close() }
    let code = await refusal(fixture, .alice, "GET", "/products/b1", root: root)
    #expect([.permissionDenied, .invalidArgument, .notFound].contains(code))
  }

  /// Requests to a database that is open to all, about documents of one that is not.
  private static let elsewhere: [(path: String, body: String)] = {
    let foreign = "\(ServiceFixture.documents)/products/b1"
    let guarded = String(ServiceFixture.documents.dropLast("/documents".count))
    let update: String = MatrixOperation.updating(
      ServiceFixture.documents,
      "products/b1",
      owner: "alice"
    )
    let query = #""structuredQuery":{"from":[{"collectionId":"products"}]}"#
    return [
      (":batchGet", #"{"documents":["\#(foreign)"]}"#),
      (":batchGet", #"{"database":"\#(guarded)","documents":["\#(foreign)"]}"#),
      (":commit", #"{"writes":[\#(update)]}"#),
      (":commit", #"{"database":"\#(guarded)","writes":[\#(update)]}"#),
      (":commit", #"{"writes":[{"delete":"\#(foreign)"}]}"#),
      (":commit", #"{"writes":[{"verify":"\#(foreign)","currentDocument":{"exists":true}}]}"#),
      (
        ":commit",
        #"{"writes":[{"transform":{"document":"\#(foreign)","fieldTransforms":[{"fieldPath":"n","#
          + #""increment":{"integerValue":1}}]}}]}"#
      ),
      (":batchWrite", #"{"writes":[\#(update)]}"#),
    ]
  }()

  @Test func `a request of one database is about no other`() async throws {
    let fixture = try await fixture(listening: CommitFeed())
    defer { fixture.close() }
    let orders = DatabaseID(project: "p", database: "orders")
    try fixture.deploy("match /{all=**} { allow read, write; }", in: orders)
    let root = "/v1/\(orders.path)/documents"
    let before = try fixture.contents()
    _ = try await call(fixture, .alice, "PATCH", "/products/mine", "{}", root: root)
    for (path, body) in Self.elsewhere {
      let code = await refusal(fixture, .alice, "POST", path, body, root: root)
      #expect(code == .invalidArgument || path == ":batchWrite", "\(path) \(body)")
    }
    // The path's parent counts, not the body's.
    let query =
      #"{"parent":"\#(ServiceFixture.documents)","structuredQuery":{"from":[{"collectionId":"products"}]}}"#
    let found = try? await call(fixture, .alice, "POST", ":runQuery", query, root: root)
    #expect(found.map { !$0.contains(Self.secret) } ?? true)
    let foreign = "\(ServiceFixture.documents)/products/b1"
    for (method, messages) in [
      (
        RPCMethod.listen,
        [
          TestMessage(
            .text(1, orders.path),
            .message(2, .message(3, .text(2, foreign)), .number(5, 1))
          )
        ]
      ),
      (
        .write,
        [
          TestMessage(.text(1, orders.path)),
          TestMessage(.message(3, .text(2, foreign)), .bytes(4, [1])),
        ]
      ),
    ] {
      let responses = ScriptedResponses()
      let context = ServiceFixture.context(authorization: MatrixCaller.alice.authorization)
      let stream = try fixture.service.open(method, context: context, responses: responses)
      for message in messages { stream.receive(message.bytes) }
      let told = responses.messages.map { String(decoding: $0, as: UTF8.self) }.joined()
      #expect(!told.contains(Self.secret))
      stream.cancel()
    }
    #expect(try fixture.contents() == before)
  }

  // MARK: Streams

  @Test func `a Write stream ends with its caller's token`() async throws {
    let verifier = TestVerifier()
    let fixture = try ServiceFixture(
      .production(key: AdministratorKey(MatrixCaller.key)),
      verifier: verifier,
      rules: MatrixOperation.rules
    )
    defer { fixture.close() }
    try await fixture.fillForMatrix(Self.database)
    let responses = ScriptedResponses()
    let stream = try fixture.service.open(
      .write,
      context: ServiceFixture.context(authorization: MatrixCaller.alice.authorization),
      responses: responses
    )
    func write(_ path: String) {
      let update: TestMessage.Part = MatrixOperation.updating(
        ServiceFixture.documents,
        path,
        owner: "alice",
        field: 3
      )
      stream.receive(TestMessage(update, .bytes(4, [1])).bytes)
    }
    stream.receive(TestMessage(.text(1, Self.database.path)).bytes)
    write("products/a1")
    let isWritten = await responses.eventually { responses.messages.count == 2 ? true : nil }
    #expect(isWritten == true)
    let before = try fixture.contents()
    verifier.revoke("alice")
    write("products/a2")
    let end = ScriptedResponses.Event.finished(
      .unauthenticated,
      AccessControl.invalidCredentials.message
    )
    let isOver = await responses.eventually { responses.events.last == end ? true : nil }
    #expect(isOver == true)
    #expect(try fixture.contents() == before)
  }
}
