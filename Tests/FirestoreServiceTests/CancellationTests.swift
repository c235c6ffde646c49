import BaseStatus
import Testing

@testable import Access
@testable import FirestoreService

/// A client that goes away in the middle of a call stops the work for it.
@Suite struct CancellationTests {
  private static let documents = 4_000

  /// Documents that have to be read one by one: nothing of them is kept in memory.
  private static func filled(
    _ engine: CountingEngine,
    transactions: Int? = nil
  ) async throws -> ServiceFixture {
    let fixture = try ServiceFixture(engine: engine, cachedBytes: 0, transactions: transactions)
    for start in stride(from: 0, to: documents, by: 400) {
      let writes = (start..<(start + 400)).map { number in
        let name = "\(ServiceFixture.documents)/c/d\(number)"
        let fields =
          "{\"a\":{\"integerValue\":\"1\"},\"n\":{\"integerValue\":\"\(number)\"},"
          + "\"m\":{\"integerValue\":\"\(-number)\"}}"
        return "{\"update\":{\"name\":\"\(name)\",\"fields\":\(fields)}}"
      }
      let body = "{\"writes\":[\(writes.joined(separator: ","))]}"
      _ = try await fixture.call("POST", ":commit", body)
    }
    return fixture
  }

  private static var names: String {
    (0..<documents).map { "\"\(ServiceFixture.documents)/c/d\($0)\"" }.joined(separator: ",")
  }

  /// No index has this order, so development reads every document of the filter before the first result.
  private static let unindexed =
    #"{"from":[{"collectionId":"c"}],"#
    + #""where":{"fieldFilter":{"field":{"fieldPath":"a"},"op":"EQUAL","value":{"integerValue":"1"}}},"#
    + #""orderBy":[{"field":{"fieldPath":"n"}},{"field":{"fieldPath":"m"}}]}"#

  /// Stages that read every document of the condition before the first row.
  private static let pipeline =
    #"{"name":"collection","args":[{"referenceValue":"/c"}]},"#
    + #"{"name":"where","args":[{"functionValue":{"name":"equal","#
    + #""args":[{"fieldReferenceValue":"a"},{"integerValue":"1"}]}}]},"#
    + #"{"name":"sort","args":[{"mapValue":{"fields":{"direction":{"stringValue":"ascending"},"#
    + #""expression":{"functionValue":{"name":"add","#
    + #""args":[{"fieldReferenceValue":"n"},{"fieldReferenceValue":"m"}]}}}}}]}"#

  private static let calls = [
    (":batchGet", "{\"documents\":[\(names)]}"),
    (":runQuery", "{\"structuredQuery\":\(unindexed)}"),
    (
      ":runAggregationQuery",
      "{\"structuredAggregationQuery\":{\"structuredQuery\":\(unindexed),"
        + "\"aggregations\":[{\"alias\":\"s\",\"sum\":{\"field\":{\"fieldPath\":\"n\"}}}]}}"
    ),
    (":executePipeline", "{\"structuredPipeline\":{\"pipeline\":{\"stages\":[\(pipeline)]}}}"),
  ]

  @Test(arguments: calls)
  func `a call that is cancelled in its middle reads little more`(
    _ path: String,
    _ body: String
  ) async throws {
    let engine = CountingEngine()
    let fixture = try await Self.filled(engine)
    _ = try await fixture.call("POST", path, body)
    let whole = engine.takeGets()
    #expect(whole >= Self.documents)
    let cancellation = Cancellation()
    engine.ring(afterGets: 500) { cancellation.cancel() }
    let error = await #expect(throws: ServiceError.self) {
      let context = ServiceFixture.context(cancellation: cancellation)
      return try await fixture.call("POST", path, body, context: context)
    }
    #expect(error?.code == .cancelled)
    // A view asks every 1,024 steps.
    #expect((500...1_600).contains(engine.takeGets()))
    fixture.close()
  }

  @Test(arguments: calls)
  func `a call that is cancelled ends the transaction that it began`(
    _ path: String,
    _ body: String
  ) async throws {
    let engine = CountingEngine()
    let fixture = try await Self.filled(engine, transactions: 1)
    let cancellation = Cancellation()
    engine.ring(afterGets: 500) { cancellation.cancel() }
    let error = await #expect(throws: ServiceError.self) {
      let begins = "{\"newTransaction\":{\"readWrite\":{}}," + body.dropFirst()
      let context = ServiceFixture.context(cancellation: cancellation)
      return try await fixture.call("POST", path, begins, context: context)
    }
    #expect(error?.code == .cancelled)
    // There is room for one transaction.
    _ = try await fixture.call("POST", ":beginTransaction", "{}")
    fixture.close()
  }

  @Test func `a list of missing documents that is cancelled in its middle reads little more`()
    async throws
  {
    let engine = CountingEngine()
    let fixture = try ServiceFixture(engine: engine, cachedBytes: 0)
    for start in stride(from: 0, to: Self.documents, by: 400) {
      // Below every one something was, so that its directory entry is looked at.
      try await Self.commit(fixture, (start..<(start + 400)).map(Self.put))
      try await Self.commit(fixture, (start..<(start + 400)).map(Self.delete))
    }
    let path = "/c?showMissing=true&mask.fieldPaths=x"
    _ = engine.takeCursors()
    _ = try await fixture.call("GET", path)
    #expect(engine.takeCursors() >= Self.documents)
    let cancellation = Cancellation()
    engine.ring(afterCursors: 500) { cancellation.cancel() }
    let error = await #expect(throws: ServiceError.self) {
      let context = ServiceFixture.context(cancellation: cancellation)
      return try await fixture.call("GET", path, context: context)
    }
    #expect(error?.code == .cancelled)
    #expect((500...3_600).contains(engine.takeCursors()))
    fixture.close()
  }

  private static func put(_ number: Int) -> String {
    "{\"update\":{\"name\":\"\(ServiceFixture.documents)/c/d\(number)/s/x\"}}"
  }

  private static func delete(_ number: Int) -> String {
    "{\"delete\":\"\(ServiceFixture.documents)/c/d\(number)/s/x\"}"
  }

  private static func commit(_ fixture: ServiceFixture, _ writes: [String]) async throws {
    _ = try await fixture.call("POST", ":commit", "{\"writes\":[\(writes.joined(separator: ","))]}")
  }
}
