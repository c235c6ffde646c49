import AccessTestSupport
import BaseRuntime
import BaseStatus
import FirestoreModel
import FirestoreWire
import Synchronization
import Testing

@testable import Access
@testable import FirestoreService

/// Calls that come on an event loop's thread: the engine stops the process where one of them would touch the
/// disk there.
@Suite struct BlockingTests {
  /// A thread with the mark of an event loop, which runs jobs in their order.
  private final class Loop: Sendable {
    private let jobs = BlockingQueue<@Sendable () -> Void>()
    private let thread: StoreThread

    init() {
      let jobs = jobs
      thread = StoreThread {
        BlockingCheck.markEventLoop()
        while let job = jobs.takeOne() { job() }
      }
    }

    func run(_ job: @escaping @Sendable () -> Void) { _ = jobs.put(job) }

    func stop() {
      jobs.close()
      thread.join()
    }

    /// The messages that a service answers a REST request with that comes on this thread.
    func call(
      _ fixture: ServiceFixture,
      _ method: String,
      _ path: String,
      _ body: String,
      _ context: CallContext
    ) async throws -> [String] {
      let parts = path.split(separator: "?", maxSplits: 1)
      let call = try RESTTranscoder().call(
        method: method,
        path: ServiceFixture.root + parts[0],
        query: parts.count > 1 ? String(parts[1]) : nil,
        body: Array(body.utf8)
      )
      let made = try #require(call)
      let messages =
        made.method.shape == .unary
        ? [try await unary(fixture, made.method, made.request, context)]
        : try await stream(fixture, made.method, made.request, context)
      return try messages.map {
        String(decoding: try RESTTranscoder().json(of: made.method, response: $0), as: UTF8.self)
      }
    }

    private func unary(
      _ fixture: ServiceFixture,
      _ method: RPCMethod,
      _ request: [UInt8],
      _ context: CallContext
    ) async throws -> [UInt8] {
      try await withCheckedThrowingContinuation { continuation in
        run {
          fixture.service.unary(method, request: request, context: context) {
            continuation.resume(with: $0)
          }
        }
      }
    }

    private func stream(
      _ fixture: ServiceFixture,
      _ method: RPCMethod,
      _ request: [UInt8],
      _ context: CallContext
    ) async throws -> [[UInt8]] {
      let stream = try await withCheckedThrowingContinuation { continuation in
        run {
          fixture.service.stream(method, request: request, context: context) {
            continuation.resume(with: $0)
          }
        }
      }
      var all: [[UInt8]] = []
      while true {
        let part = try await next(of: stream)
        if part.isEmpty { return all }
        all += part
      }
    }

    private func next(of stream: any ResponseStream) async throws -> [[UInt8]] {
      try await withCheckedThrowingContinuation { continuation in
        run { stream.next(maxBytes: 1 << 16) { continuation.resume(with: $0) } }
      }
    }
  }

  @Test func `the mark of an event loop is its thread's own`() {
    let seen = Mutex<[Bool]>([])
    let loop = StoreThread {
      seen.withLock { $0.append(BlockingCheck.isEventLoop) }
      BlockingCheck.markEventLoop()
      seen.withLock { $0.append(BlockingCheck.isEventLoop) }
    }
    loop.join()
    let other = StoreThread { seen.withLock { $0.append(BlockingCheck.isEventLoop) } }
    other.join()
    #expect(seen.withLock { $0 } == [false, true, false])
    #expect(!BlockingCheck.isEventLoop)
  }

  private static func fixture() throws -> ServiceFixture {
    try ServiceFixture(
      .production(key: AdministratorKey("brasa-admin-secret")),
      verifier: TestVerifier(),
      rules: "match /{any=**} { allow read, write: if request.auth.uid == 'u'; }"
    )
  }

  @Test func `a database is made and a token verified off the loop`() async throws {
    let fixture = try Self.fixture()
    let loop = Loop()
    let context = ServiceFixture.context(
      authorization: TestTokens.bearer("u"),
      memory: CallerMemory()
    )
    #expect(fixture.databases.openDatabase(DatabaseID(project: "p")) == nil)
    let document = #"{"fields":{"n":{"integerValue":"1"}}}"#
    let made = try await loop.call(fixture, "POST", "/c?documentId=d", document, context)
    #expect(made[0].contains("documents/c/d"))
    #expect(fixture.databases.openDatabase(DatabaseID(project: "p")) != nil)
    #expect(context.memory?.hasShownCredentials == true)
    let found = try await loop.call(fixture, "GET", "/c/d", "", context)
    #expect(found[0].contains("integerValue"))
    // Another connection, and credentials that are nobody's.
    let newcomer = ServiceFixture.context(authorization: TestTokens.bearer("v"))
    await #expect(throws: ServiceError.self) {
      try await loop.call(fixture, "GET", "/c/d", "", newcomer)
    }
    let forged = ServiceFixture.context(authorization: TestTokens.bearer("u") + "x")
    await #expect(throws: ServiceError.self) {
      try await loop.call(fixture, "GET", "/c/d", "", forged)
    }
    loop.stop()
    fixture.close()
  }

  @Test func `a query in a transaction at a time begins off the loop`() async throws {
    let fixture = try Self.fixture()
    let loop = Loop()
    let context = ServiceFixture.context(authorization: "Bearer brasa-admin-secret")
    let document = #"{"fields":{"n":{"integerValue":"1"}}}"#
    _ = try await loop.call(fixture, "POST", "/c?documentId=d", document, context)
    let time = try fixture.readTime(of: DatabaseID(project: "p"))
    let query = """
      {"structuredQuery":{"from":[{"collectionId":"c"}]},
       "newTransaction":{"readOnly":{"readTime":"\(TimestampText.format(seconds: time.seconds, nanos: time.nanos))"}}}
      """
    let answers = try await loop.call(fixture, "POST", ":runQuery", query, context)
    #expect(answers.contains { $0.contains("documents/c/d") })
    #expect(answers.contains { $0.contains("transaction") })
    loop.stop()
    fixture.close()
  }

  @Test func `a stream whose token is new opens off the loop, in the client's order`() async throws
  {
    let fixture = try Self.fixture()
    let loop = Loop()
    let responses = ScriptedResponses()
    let context = ServiceFixture.context(authorization: TestTokens.bearer("u"))
    let opened: any StreamCall = try await withCheckedThrowingContinuation { continuation in
      loop.run {
        continuation.resume(
          with: Result {
            try fixture.service.open(.write, context: context, responses: responses)
          }
        )
      }
    }
    #expect(opened is DeferredStreamCall)
    loop.run { opened.finishRequests() }
    let end = await responses.eventually {
      responses.events.first { if case .finished = $0 { true } else { false } }
    }
    #expect(end == .finished(.ok, ""))
    #expect(responses.events.contains(.reading(true)))
    loop.stop()
    fixture.close()
  }

  /// Answers a unary call that comes on the loop; also whether the response was made there.
  private static func answer(
    _ fixture: ServiceFixture,
    _ loop: Loop,
    _ path: String,
    _ context: CallContext
  ) async throws -> (result: Result<[UInt8], ServiceError>, isOnLoop: Bool) {
    let made = try RESTTranscoder().call(
      method: "GET",
      path: ServiceFixture.root + path,
      query: nil,
      body: []
    )
    let call = try #require(made)
    return await withCheckedContinuation { continuation in
      loop.run {
        fixture.service.unary(call.method, request: call.request, context: context) {
          continuation.resume(returning: ($0, BlockingCheck.isEventLoop))
        }
      }
    }
  }

  private static func put(_ text: String, at path: String, _ fixture: ServiceFixture) async throws {
    let context = ServiceFixture.context(authorization: "Bearer brasa-admin-secret")
    let fields = "{\"fields\":{\"t\":{\"stringValue\":\"\(text)\"}}}"
    _ = try await fixture.call("PATCH", path, fields, context: context)
  }

  @Test func `rules that take much work are judged off the loop, to the same end`() async throws {
    let fixture = try ServiceFixture(
      .production(key: AdministratorKey("brasa-admin-secret")),
      verifier: TestVerifier(),
      rules: "match /c/{id} { allow get: if resource.data.t.replace('a', 'b').matches('b*'); }"
    )
    let loop = Loop()
    let context = ServiceFixture.context(
      authorization: TestTokens.bearer("u"),
      memory: CallerMemory()
    )
    let much = String(repeating: "a", count: 40_000)
    for (path, text, isBrief, isAllowed) in [
      ("/c/brief", "aaa", true, true), ("/c/denied", "aac", true, false),
      ("/c/long", much, false, true), ("/c/longDenied", much + "c", false, false),
    ] {
      try await Self.put(text, at: path, fixture)
      // The first one has the token verified and the document read.
      _ = try await Self.answer(fixture, loop, path, context)
      let answer = try await Self.answer(fixture, loop, path, context)
      #expect(answer.isOnLoop == isBrief, "\(path)")
      switch answer.result {
      case .success: #expect(isAllowed, "\(path)")
      case .failure(let error): #expect(!isAllowed && error.code == .permissionDenied, "\(path)")
      }
    }
    loop.stop()
    fixture.close()
  }
}
