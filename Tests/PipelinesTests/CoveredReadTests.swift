import BaseText
import DocumentStore
import FirestoreModel
import PipelineModel
import Testing

@testable import Pipelines

/// Pipelines that read index entries alone give what the documents would give.
struct CoveredReadTests {
  private static func stage(_ name: String, _ arguments: PipelineOperand...) -> PipelineStage {
    PipelineStage(name: name, arguments: arguments)
  }

  private static func call(_ name: String, _ arguments: PipelineOperand...) -> PipelineOperand {
    .call(PipelineCall(name: name, arguments: arguments))
  }

  private static func field(_ name: Text) -> PipelineOperand { .field(FieldPath([name])) }

  private static func map(_ entries: (Text, PipelineOperand)...) -> PipelineOperand {
    .map(entries.map { .init(key: $0.0, value: $0.1) })
  }

  private static let collection = PipelineStage(name: "collection", arguments: [.path("/c")])
  private static let equal = stage("where", call("equal", field("a"), .constant("x")))
  private static let present = stage("where", call("exists", field("v")))
  private static let sorted = stage(
    "sort",
    map(("direction", .constant("ascending")), ("expression", field("v")))
  )

  /// Values that an index orders alike and stores apart, values that it cuts, and those of each kind.
  private static let values: [Value] = [
    .null, .boolean(false), .boolean(true), .integer(0), .double(0), .double(-0.0), .integer(3),
    .double(3), .double(.nan), .double(-.infinity), .integer(.max), .double(9_007_199_254_740_992),
    .string(""), .string(Text(String(repeating: "x", count: 1_499) + "é" + "y")),
    .string(Text(String(repeating: "x", count: 3_000))), .bytes([0, 255, 0]),
    .timestamp(CommitVersion(microseconds: 7_000_001).timestamp),
    .reference(DocumentName(database: PipelineFixture.id, path: ResourcePath(["c", "d1"]))),
    .geoPoint(GeoPoint(latitude: -0.0, longitude: 8.5)), .array([.integer(1), .double(1)]),
    .array([.string("a")]), .map(MapValue([.init(key: "k", value: .double(2))])),
    .vector([1, 2]), .bson(.int32(3)), .bson(.minKey),
  ]

  /// Documents with each value in `v`, and one without it; an index on `a` and `v`.
  private static func filled() throws -> PipelineFixture {
    let fixture = try PipelineFixture()
    let paths = [FieldPath(["a"]), FieldPath(["v"])]
    let definition = try IndexDefinition(
      collectionID: "c",
      scope: .collection,
      fields: paths.map { IndexedField($0, .ascending) }
    )
    try fixture.database.declareIndex(definition)
    while try fixture.database.performIndexMaintenance() {}
    var documents = values.enumerated().map { number, value -> (id: String, fields: MapValue) in
      let fields: [MapValue.Entry] = [
        .init(key: "a", value: "x"), .init(key: "other", value: .string("o")),
        .init(key: "v", value: value),
      ]
      return ("d\(number)", MapValue(fields))
    }
    documents.append(("last", MapValue([.init(key: "a", value: "x")])))
    try fixture.put(documents)
    return fixture
  }

  private static let name = ("name" as Text, PipelineOperand.field(.documentName))
  private static let cases: [String: (stages: [PipelineStage], isCovered: Bool)] = [
    "sorted by the value": (
      [present, sorted, stage("select", map(name, ("v", field("v"))))], true
    ),
    "an equality and a value": (
      [equal, present, stage("select", map(("a", field("a")), name, ("v", field("v"))))], true
    ),
    "names alone": ([equal, stage("select", map(name))], true),
    "a count": ([equal, stage("aggregate", map(("n", call("count"))))], true),
    "distinct values": (
      [equal, present, stage("distinct", map(("v", field("v"))))], true
    ),
    "a value that need not be there": (
      [equal, stage("select", map(name, ("v", field("v"))))], false
    ),
    "a field of no index": (
      [equal, present, stage("select", map(name, ("other", field("other"))))], false
    ),
    "a time": (
      [equal, stage("select", map(name, ("t", .field(.updateTime))))], false
    ),
    "the whole row": (
      [equal, stage("select", map(("all", call("current_document"))))], false
    ),
    "whole documents": ([equal], false),
  ]

  @Test(arguments: cases.keys.sorted())
  func `entries give what documents give`(_ name: String) throws {
    let fixture = try Self.filled()
    let known = try #require(Self.cases[name])
    let stages = [Self.collection] + known.stages
    let found = try fixture.rows(stages).map { String(describing: $0.wholeMap) }
    let expected = try fixture.rows(stages, usesIndexes: false).map {
      String(describing: $0.wholeMap)
    }
    #expect(found.sorted() == expected.sorted())
    #expect(!found.isEmpty)
    let (_, text) = try fixture.analyzed(stages, memory: 1 << 20)
    #expect(text.contains(", covering") == known.isCovered, "\(text)")
  }
}
