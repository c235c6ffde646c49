import BaseText
import FirestoreModel
import PipelineModel
import Testing

@testable import Pipelines

/// Alternatives that compare different fields: a document need not have those of the alternative that it does not meet.
struct AlternativeTests {
  private static func call(_ name: String, _ arguments: PipelineOperand...) -> PipelineOperand {
    .call(PipelineCall(name: name, arguments: arguments))
  }

  private static let b = PipelineOperand.field(FieldPath(["b"]))
  private static let few = call("less_than_or_equal", b, .constant(2))
  private static let many = call("greater_than", b, .constant(5))
  private static let tagged = call("array_contains", .field(FieldPath(["tags"])), .constant(1))
  private static let late = call("greater_than", .field(FieldPath(["c"])), .constant(0))

  private static let cases: [String: (condition: PipelineOperand, found: [String])] = [
    "a comparison or an element": (call("or", few, tagged), ["d1", "d3", "d4"]),
    "the same the other way round": (call("or", tagged, few), ["d1", "d3", "d4"]),
    "two comparisons of one field": (call("or", few, many), ["d1", "d2", "d4"]),
    "two comparisons of two fields": (call("or", few, late), ["d1", "d6"]),
    "a comparison in each alternative": (call("or", few, call("and", many, tagged)), ["d1", "d4"]),
    "an alternative in a condition": (call("and", call("or", few, tagged), tagged), ["d3", "d4"]),
  ]

  private static let documents: [(id: String, fields: MapValue)] = [
    ("d1", MapValue([.init(key: "b", value: 1)])),
    ("d2", MapValue([.init(key: "b", value: 9)])),
    ("d3", MapValue([.init(key: "tags", value: .array([1]))])),
    ("d4", MapValue([.init(key: "b", value: 9), .init(key: "tags", value: .array([1]))])),
    ("d5", MapValue()),
    ("d6", MapValue([.init(key: "c", value: 1)])),
  ]

  @Test(arguments: cases.keys.sorted(), [true, false])
  func `no alternative asks for the fields of another`(_ name: String, _ usesIndexes: Bool) throws {
    let fixture = try PipelineFixture()
    try fixture.put(Self.documents)
    let known = try #require(Self.cases[name])
    let stages = [
      PipelineStage(name: "collection", arguments: [.path("/c")]),
      PipelineStage(name: "where", arguments: [known.condition]),
    ]
    let rows = try fixture.rows(stages, usesIndexes: usesIndexes)
    #expect(rows.compactMap { $0.name?.path.lastID?.string }.sorted() == known.found)
  }
}
