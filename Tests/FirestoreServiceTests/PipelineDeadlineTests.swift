import BaseRuntime
import BaseStatus
import FirestoreWire
import Synchronization
import Testing

@testable import Access
@testable import FirestoreService

/// A pipeline that ends before it is done holds neither memory nor a transaction.
@Suite(.timeLimit(.minutes(10))) struct PipelineDeadlineTests {
  private static let documents = 4_000

  /// A sort without an index reads every document before the first row, and keeps all of them.
  private static let body: String = {
    func stage(_ name: String, _ arguments: String...) -> String {
      "{\"name\":\"\(name)\",\"args\":[\(arguments.joined(separator: ","))]}"
    }
    func call(_ name: String, _ first: String, _ second: String) -> String {
      "{\"functionValue\":{\"name\":\"\(name)\",\"args\":[\(first),\(second)]}}"
    }
    let (field, one) = ("{\"fieldReferenceValue\":\"n\"}", "{\"integerValue\":\"1\"}")
    let sum = call("add", call("add", call("add", field, one), one), one)
    let stages = [
      stage("collection", "{\"referenceValue\":\"/c\"}"),
      stage("where", call("equal", "{\"fieldReferenceValue\":\"a\"}", one)),
      stage("add_fields", "{\"mapValue\":{\"fields\":{\"sum\":\(sum)}}}"),
      stage(
        "sort",
        "{\"mapValue\":{\"fields\":{\"direction\":{\"stringValue\":\"ascending\"},"
          + "\"expression\":{\"fieldReferenceValue\":\"sum\"}}}}"
      ),
    ]
    return "{\"structuredPipeline\":{\"pipeline\":{\"stages\":[\(stages.joined(separator: ","))]}},"
      + "\"newTransaction\":{\"readWrite\":{}}}"
  }()

  /// A server with room for one transaction, which reads each document by itself.
  private static func filled(
    _ engine: CountingEngine,
    longestPipeline: Duration = .seconds(60)
  ) async throws -> ServiceFixture {
    let fixture = try ServiceFixture(
      engine: engine,
      cachedBytes: 0,
      transactions: 1,
      longestPipeline: longestPipeline
    )
    for start in stride(from: 0, to: documents, by: 400) {
      let writes = (start..<(start + 400)).map { number in
        "{\"update\":{\"name\":\"\(ServiceFixture.documents)/c/d\(number)\",\"fields\":"
          + "{\"a\":{\"integerValue\":\"1\"},\"n\":{\"integerValue\":\"\(-number)\"}}}}"
      }
      let body = "{\"writes\":[\(writes.joined(separator: ","))]}"
      _ = try await fixture.call("POST", ":commit", body)
    }
    return fixture
  }

  private static func expectNothingHeld(
    _ fixture: ServiceFixture,
    _ account: LedgerAccount
  ) async throws {
    // The stream's memory goes with the last reference to it.
    while !Task.isCancelled, account.bytes != 0 { await Task.yield() }
    #expect(account.bytes == 0)
    // There is room for one transaction.
    _ = try await fixture.call("POST", ":beginTransaction", "{}")
    fixture.close()
  }

  @Test func `a deadline in the middle of a pipeline ends it`() async throws {
    let engine = CountingEngine()
    let fixture = try await Self.filled(engine)
    let account = ByteLedger().account(of: .ipv4(1))
    let deadline = ContinuousClock.now + .milliseconds(200)
    _ = engine.takeGets()
    // The read goes on only once the deadline has passed, however fast the machine is.
    engine.ring(afterGets: 500) { while ContinuousClock.now < deadline {} }
    let error = await #expect(throws: ServiceError.self) {
      let context = ServiceFixture.context(deadline: deadline, account: account)
      return try await fixture.call("POST", ":executePipeline", Self.body, context: context)
    }
    #expect(error?.code == .deadlineExceeded)
    #expect(error?.message == "Deadline exceeded.")
    #expect(engine.takeGets() <= 1_600)
    try await Self.expectNothingHeld(fixture, account)
  }

  @Test func `a pipeline ends when its own time is over, without a deadline of its caller`()
    async throws
  {
    let engine = CountingEngine()
    let fixture = try await Self.filled(engine, longestPipeline: .zero)
    let account = ByteLedger().account(of: .ipv4(1))
    _ = engine.takeGets()
    let error = await #expect(throws: ServiceError.self) {
      let context = ServiceFixture.context(account: account)
      return try await fixture.call("POST", ":executePipeline", Self.body, context: context)
    }
    #expect(error?.code == .deadlineExceeded)
    #expect(error?.message == "The pipeline took longer than 0 seconds.")
    #expect(engine.takeGets() < Self.documents)
    try await Self.expectNothingHeld(fixture, account)
  }

  @Test func `a caller that leaves a pipeline holding rows gets them freed`() async throws {
    let engine = CountingEngine()
    let fixture = try await Self.filled(engine)
    let account = ByteLedger().account(of: .ipv4(1))
    let cancellation = Cancellation()
    let held = Mutex(0)
    _ = engine.takeGets()
    engine.ring(afterGets: 3_000) {
      held.withLock { $0 = account.bytes }
      cancellation.cancel()
    }
    let error = await #expect(throws: ServiceError.self) {
      let context = ServiceFixture.context(cancellation: cancellation, account: account)
      return try await fixture.call("POST", ":executePipeline", Self.body, context: context)
    }
    #expect(error?.code == .cancelled)
    #expect(held.withLock { $0 } > 100_000)
    #expect(engine.takeGets() < Self.documents)
    try await Self.expectNothingHeld(fixture, account)
  }

  @Test func `a caller that leaves between two slices leaves no transaction`() async throws {
    let fixture = try await Self.filled(CountingEngine())
    let account = ByteLedger().account(of: .ipv4(1))
    let cancellation = Cancellation()
    try await Self.leave(fixture, account, cancellation)
    try await Self.expectNothingHeld(fixture, account)
  }

  /// Opens the stream, whose first slice finds no row yet, and cancels it before the second slice.
  private static func leave(
    _ fixture: ServiceFixture,
    _ account: LedgerAccount,
    _ cancellation: Cancellation
  ) async throws {
    let call = try #require(
      try RESTTranscoder().call(
        method: "POST",
        path: ServiceFixture.root + ":executePipeline",
        query: nil,
        body: Array(body.utf8)
      )
    )
    let context = ServiceFixture.context(cancellation: cancellation, account: account)
    let stream = try await withCheckedThrowingContinuation { continuation in
      fixture.service.stream(call.method, request: call.request, context: context) {
        continuation.resume(with: $0)
      }
    }
    cancellation.cancel()
    let error = await #expect(throws: ServiceError.self) {
      try await withCheckedThrowingContinuation { continuation in
        stream.next(maxBytes: 1 << 16) { continuation.resume(with: $0) }
      }
    }
    #expect(error?.code == .cancelled)
  }
}
