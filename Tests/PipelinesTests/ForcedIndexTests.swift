import BaseStatus
import BaseText
import DocumentStore
import FirestoreModel
import PipelineModel
import Testing

@testable import Pipelines

/// The option `force_index` of the inputs that range over collections.
struct ForcedIndexTests {
  private static let a = FieldPath(["a"])
  private static let b = FieldPath(["b"])

  private func call(_ name: String, _ arguments: PipelineOperand...) -> PipelineOperand {
    .call(PipelineCall(name: name, arguments: arguments))
  }

  private func input(_ index: String?, _ collection: String = "/c") -> PipelineStage {
    PipelineStage(
      name: "collection",
      arguments: [.path(collection)],
      options: index.map { ["force_index": .constant(.string(Text($0)))] } ?? [:]
    )
  }

  private var conditions: [PipelineStage] {
    [
      PipelineStage(name: "where", arguments: [call("equal", .field(Self.a), .constant(1))]),
      PipelineStage(name: "where", arguments: [call("less_than", .field(Self.b), .constant(9))]),
    ]
  }

  /// Documents, and the ID of an index on `b` alone.
  private func filled() throws -> (PipelineFixture, index: String) {
    let fixture = try PipelineFixture()
    let definition = try IndexDefinition(
      collectionID: "c",
      scope: .collection,
      fields: [IndexedField(Self.b, .ascending)]
    )
    let index = try fixture.database.declareIndex(definition)
    try fixture.put(
      (0..<60).map { number in
        let fields: [MapValue.Entry] = [
          .init(key: "a", value: .integer(Int64(number % 4))),
          .init(key: "b", value: .integer(Int64(number % 15))),
        ]
        return ("d\(number)", MapValue(fields))
      }
    )
    return (fixture, index.id)
  }

  private func names(_ rows: [Row]) -> [String] {
    rows.compactMap { $0.name?.path.string }.sorted()
  }

  @Test func `primary scans, and an index is read although another one fits better`() throws {
    let (fixture, index) = try filled()
    let (free, chosen) = try fixture.analyzed([input(nil)] + conditions, memory: 1 << 20)
    #expect(chosen.contains("- IndexSeek /c index (a ASC, __name__ ASC) (rows: 15,"))
    let (scanned, scan) = try fixture.analyzed([input("primary")] + conditions, memory: 1 << 20)
    #expect(scan.contains("- TableScan /c scan (__name__ ASC) (rows: 60,"))
    let (forced, seek) = try fixture.analyzed([input(index)] + conditions, memory: 1 << 20)
    #expect(seek.contains("- IndexSeek /c index (b ASC, __name__ ASC) (rows: 36,"))
    #expect(free.count == 9)
    #expect(names(scanned) == names(free) && names(forced) == names(free))
  }

  @Test func `a sub-pipeline with an index is read as it asks`() throws {
    let (fixture, index) = try filled()
    let equal = call("equal", .field(Self.b), .variable("v"))
    let cases: [(String?, Bool)] = [(nil, true), ("primary", false), (index, false)]
    for (name, isBatch) in cases {
      let inner = [
        input(name), PipelineStage(name: "where", arguments: [equal]),
        PipelineStage(
          name: "aggregate",
          arguments: [.map([.init(key: "n", value: call("count"))])]
        ),
      ]
      let found = call("scalar", .pipeline(inner))
      let (rows, text) = try fixture.analyzed(
        [
          input(nil),
          PipelineStage(
            name: "let",
            arguments: [.map([.init(key: "v", value: .field(Self.b))])]
          ),
          PipelineStage(name: "select", arguments: [.map([.init(key: "n", value: found)])]),
        ],
        memory: 1 << 20
      )
      #expect(rows.map { $0.fields["n"] } == Array(repeating: .integer(4), count: 60))
      #expect(text.contains("in batches") == isBatch)
      #expect(text.contains("row by row") == !isBatch)
    }
  }

  @Test func `an index that is not there or does not serve is refused`() throws {
    let (fixture, index) = try filled()
    func refusal(_ stages: [PipelineStage]) -> ServiceError? {
      #expect(throws: ServiceError.self) { try fixture.rows(stages) }
    }
    for stages in [[input("none")], [input(index, "/other")], [input("")]] {
      let error = refusal(stages + conditions)
      #expect(error?.code == .invalidArgument)
      #expect(error?.message.hasPrefix("Invalid index \"") == true)
    }
    let error = refusal([input(index), conditions[0]])
    #expect(error?.code == .failedPrecondition)
    #expect(error?.message.contains("can't serve the conditions") == true)
    let union = PipelineStage(name: "union", arguments: [.pipeline([input("none")])])
    #expect(refusal([input(nil), union])?.code == .invalidArgument)
  }
}
