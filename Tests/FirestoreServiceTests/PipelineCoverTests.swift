import FirestoreWire
import Testing

@testable import FirestoreService

/// The reads of pipelines whose fields are in an index.
@Suite struct PipelineCoverTests {
  private static func stage(_ name: String, _ arguments: String...) -> String {
    "{\"name\":\"\(name)\",\"args\":[\(arguments.joined(separator: ","))]}"
  }

  private static func field(_ name: String) -> String { "{\"fieldReferenceValue\":\"\(name)\"}" }

  private static func mapping(_ fields: String) -> String {
    "{\"mapValue\":{\"fields\":{\(fields)}}}"
  }

  /// The number of records that a pipeline asks for behind a condition that 100 of 400 documents meet.
  private static func reads(_ last: String) async throws -> Int {
    let engine = CountingEngine()
    let fixture = try ServiceFixture(engine: engine, cachedBytes: 0)
    let writes = (0..<400).map { number in
      "{\"update\":{\"name\":\"\(ServiceFixture.documents)/c/d\(number)\",\"fields\":"
        + "{\"n\":{\"integerValue\":\"\(number)\"},\"s\":{\"stringValue\":\"x\"}}}}"
    }
    _ = try await fixture.call("POST", ":commit", "{\"writes\":[\(writes.joined(separator: ","))]}")
    let condition =
      "{\"functionValue\":{\"name\":\"greater_than_or_equal\",\"args\":[\(field("n")),"
      + "{\"integerValue\":\"300\"}]}}"
    let stages = [
      stage("collection", "{\"referenceValue\":\"/c\"}"), stage("where", condition), last,
    ]
    let body =
      "{\"structuredPipeline\":{\"pipeline\":{\"stages\":[\(stages.joined(separator: ","))]}}}"
    _ = engine.takeGets()
    _ = try await fixture.call("POST", ":executePipeline", body)
    defer { fixture.close() }
    return engine.takeGets()
  }

  @Test func `no document is read for what the index has`() async throws {
    let select = Self.stage("select", Self.mapping("\"n\":\(Self.field("n"))"))
    #expect(try await Self.reads(select) < 10)
    let count = "{\"functionValue\":{\"name\":\"count\",\"args\":[]}}"
    let counting = Self.stage("aggregate", Self.mapping("\"k\":\(count)"), Self.mapping(""))
    #expect(try await Self.reads(counting) < 10)
    let other = Self.stage("select", Self.mapping("\"s\":\(Self.field("s"))"))
    #expect(try await Self.reads(other) >= 100)
  }
}
