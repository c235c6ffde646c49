import Access
import AccessTestSupport
import FirestoreModel
import Realtime
import Testing

@testable import Access
@testable import FirestoreService

/// A Listen stream without sockets: what its client says and sees, on a store in memory.
///
/// The hub looks at no clock, so what happens does because somebody was told.
@Suite struct ListenCallTests {
  /// A client's stream, and what it has got.
  private struct Client {
    let call: any StreamCall
    let responses = ScriptedResponses()

    init(_ fixture: ServiceFixture, authorization: String? = nil) throws {
      call = try fixture.service.open(
        .listen,
        context: ServiceFixture.context(authorization: authorization),
        responses: responses
      )
    }

    /// The kinds of messages so far: `added`, `current` and the like.
    ///
    /// Without the pause while an engine thread identifies the caller.
    var seen: [String] {
      var names = responses.events.map(Self.name)
      guard call is DeferredStreamCall else { return names }
      for name in ["reads not", "reads"] {
        if let index = names.firstIndex(of: name) { names.remove(at: index) }
      }
      return names
    }

    /// Waits until the client has seen just this.
    func sees(_ expected: [String]) async -> Bool {
      await responses.eventually { seen == expected ? true : nil } ?? false
    }

    private static func name(_ event: ScriptedResponses.Event) -> String {
      switch event {
      case .reading(let isReading): isReading ? "reads" : "reads not"
      case .finished(let code, _): "ended \(code)"
      case .message(let bytes):
        switch bytes.first.map({ $0 >> 3 }) {
        case 2: changes[bytes.count > 3 && bytes[2] == 0x08 ? Int(bytes[3]) : 0]
        case 3: "document"
        case 4: "deleted"
        default: "other"
        }
      }
    }

    private static let changes = ["consistent", "added", "removed", "current", "reset"]
  }

  private static let database = "projects/p/databases/(default)"
  private static let opened = ["added", "document", "current", "consistent"]

  private static func request(_ parts: TestMessage.Part..., database: String = database) -> [UInt8]
  {
    TestMessage([.text(1, database)] + parts).bytes
  }

  private static func document(_ path: String, target: Int64 = 1) -> [UInt8] {
    let name = "\(database)/documents/\(path)"
    return request(.message(2, .message(3, .text(2, name)), .number(5, target)))
  }

  /// A service whose database has the document `c/a`.
  private static func fixture(verifier: TestVerifier? = nil) async throws -> ServiceFixture {
    let fixture = try ServiceFixture(verifier: verifier, listening: CommitFeed())
    try await write("c/a", fixture, "x")
    return fixture
  }

  private static func write(
    _ path: String,
    _ fixture: ServiceFixture,
    _ value: String = "y"
  ) async throws {
    _ = try await fixture.call(
      "PATCH",
      "/\(path)",
      #"{"fields":{"a":{"stringValue":"\#(value)"}}}"#,
      context: ServiceFixture.context(authorization: "Bearer owner")
    )
  }

  @Test func `a listener is told of its document, then of each change`() async throws {
    let fixture = try await Self.fixture()
    defer { fixture.close() }
    let client = try Client(fixture)
    client.call.receive(Self.document("c/a"))
    #expect(await client.sees(Self.opened), "\(client.seen)")
    try await Self.write("c/a", fixture)
    #expect(await client.sees(Self.opened + ["document", "consistent"]), "\(client.seen)")
  }

  @Test func `requests that end, end the call with OK, whether or not one came`() async throws {
    let fixture = try await Self.fixture()
    defer { fixture.close() }
    let silent = try Client(fixture)
    silent.call.finishRequests()
    #expect(silent.seen == ["ended ok"])
    let client = try Client(fixture)
    client.call.receive(Self.document("c/a"))
    #expect(await client.sees(Self.opened), "\(client.seen)")
    client.call.finishRequests()
    #expect(await client.sees(Self.opened + ["ended ok"]), "\(client.seen)")
  }

  @Test func `a message for another database ends the call`() async throws {
    let fixture = try await Self.fixture()
    defer { fixture.close() }
    let client = try Client(fixture)
    client.call.receive(Self.document("c/a"))
    #expect(await client.sees(Self.opened), "\(client.seen)")
    let other = "projects/p/databases/other"
    client.call.receive(Self.request(.number(3, 1), database: other))
    #expect(await client.sees(Self.opened + ["ended invalidArgument"]), "\(client.seen)")
  }

  @Test func `a target that cannot be read ends alone`() async throws {
    let fixture = try await Self.fixture()
    defer { fixture.close() }
    let client = try Client(fixture)
    client.call.receive(Self.request(.message(2, .number(5, 7))))
    #expect(await client.sees(["removed"]), "\(client.seen)")
    client.call.receive(Self.document("c/a"))
    #expect(await client.sees(["removed"] + Self.opened), "\(client.seen)")
  }

  @Test func `callers who are denied everything make no database by listening to one`() async throws
  {
    let fixture = try ServiceFixture(
      .production(key: AdministratorKey("key")),
      verifier: TestVerifier(),
      rules: "match /c/{id} { allow read; }",
      listening: CommitFeed()
    )
    defer { fixture.close() }
    let other = "projects/q/databases/(default)"
    for authorization in [nil, TestTokens.bearer("alice"), TestTokens.bearer("bob", project: "q")] {
      let client = try Client(fixture, authorization: authorization)
      let document = TestMessage.Part.message(3, .text(2, "\(other)/documents/c/a"))
      let target = TestMessage.Part.message(2, document, .number(5, 1))
      client.call.receive(Self.request(target, database: other))
      #expect(await client.sees(["ended permissionDenied"]), "\(client.seen)")
    }
    #expect(try fixture.databases.listDatabases().isEmpty)
    let allowed = try Client(fixture)
    allowed.call.receive(Self.document("c/a"))
    #expect(await allowed.sees(["added", "deleted", "current", "consistent"]), "\(allowed.seen)")
    #expect(try fixture.databases.listDatabases().map(\.id) == [DatabaseID(project: "p")])
  }

  @Test func `a cancelled call is told nothing more`() async throws {
    let fixture = try await Self.fixture()
    defer { fixture.close() }
    let gone = try Client(fixture)
    let other = try Client(fixture)
    for client in [gone, other] {
      client.call.receive(Self.document("c/a"))
      #expect(await client.sees(Self.opened), "\(client.seen)")
    }
    gone.call.cancel()
    try await Self.write("c/a", fixture)
    #expect(await other.sees(Self.opened + ["document", "consistent"]), "\(other.seen)")
    #expect(gone.seen == Self.opened)
  }

  @Test func `a full transport holds changes back until it has room`() async throws {
    let fixture = try await Self.fixture()
    defer { fixture.close() }
    let full = try Client(fixture)
    let other = try Client(fixture)
    full.responses.hasRoom.withLock { $0 = false }
    full.call.receive(Self.document("c/a"))
    let before = Self.opened + ["reads not"]
    #expect(await full.sees(before), "\(full.seen)")
    other.call.receive(Self.document("c/a"))
    #expect(await other.sees(Self.opened), "\(other.seen)")
    try await Self.write("c/a", fixture)
    #expect(await other.sees(Self.opened + ["document", "consistent"]), "\(other.seen)")
    #expect(full.seen == before)
    full.responses.hasRoom.withLock { $0 = true }
    full.call.resumeSending()
    #expect(await full.sees(before + ["reads", "document", "consistent"]), "\(full.seen)")
  }

  @Test func `a revoked user's call ends at once, others go on`() async throws {
    let verifier = TestVerifier()
    let fixture = try await Self.fixture(verifier: verifier)
    defer { fixture.close() }
    let alice = try Client(fixture, authorization: TestTokens.bearer("alice"))
    let bob = try Client(fixture, authorization: TestTokens.bearer("bob"))
    for client in [alice, bob] {
      client.call.receive(Self.document("c/a"))
      #expect(await client.sees(Self.opened), "\(client.seen)")
    }
    verifier.revoke("alice")
    #expect(await alice.sees(Self.opened + ["ended unauthenticated"]), "\(alice.seen)")
    try await Self.write("c/a", fixture)
    #expect(await bob.sees(Self.opened + ["document", "consistent"]), "\(bob.seen)")
    #expect(alice.seen == Self.opened + ["ended unauthenticated"])
  }
}
