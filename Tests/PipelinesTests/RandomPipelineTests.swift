import BaseStatus
import BaseText
import DocumentStore
import FirestoreModel
import Foundation
import Testing

@testable import Pipelines

/// Random pipelines against an evaluator that knows nothing of plans.
struct RandomPipelineTests {
  private static let documents = 14
  private static let pipelinesPerStore = 60

  @Test(arguments: 0..<40) func `pipelines give what the naive evaluator gives`(_ seed: Int) throws
  {
    try compare(seed: UInt64(seed))
  }

  @Test(.enabled(if: ProcessInfo.processInfo.environment["BRASA_SLOW_TESTS"] != nil))
  func `a hundred thousand pipelines give what the naive evaluator gives`() throws {
    for seed in Self.slowSeeds {
      try compare(seed: UInt64(seed))
      if seed % 50 == 49 { print("random pipelines: seeds to \(seed) compared") }
    }
    print("random pipelines: \(Self.slowSeeds.count * Self.pipelinesPerStore) of \(Self.slowSeeds)")
  }

  /// `BRASA_PIPELINE_SEEDS=2700..<4400` chooses other seeds.
  private static let slowSeeds: Range<Int> = {
    let parts = ProcessInfo.processInfo.environment["BRASA_PIPELINE_SEEDS"]?
      .split(separator: "..<").compactMap { Int($0) }
    guard let parts, parts.count == 2, parts[0] < parts[1] else { return 1_000..<2_700 }
    return parts[0]..<parts[1]
  }()

  /// Indexes on and off, slices short and long, little memory and enough.
  private static let runs: [(usesIndexes: Bool, slice: Int, options: PipelineOptions)] = [
    (true, 20_000, PipelineOptions()), (true, 3, PipelineOptions()),
    (false, 5, PipelineOptions()), (true, 20_000, limited(20_000)), (true, 20_000, limited(6_000)),
  ]

  private static func limited(_ bytes: Int64) -> PipelineOptions {
    (try? PipelineOptions(["memory_limit": .constant(.integer(bytes))])) ?? PipelineOptions()
  }

  private func compare(seed: UInt64) throws {
    let fixture = try PipelineFixture()
    // Two stores in three have indexes that hold documents without some of the fields.
    if seed % 3 != 0 { try declareIndexes(seed, in: fixture) }
    var random = RandomPipeline(seed: seed)
    let documents = random.documents(Self.documents)
    let children = random.children(of: documents)
    try fixture.put(documents)
    try fixture.put(children)
    let naive = NaiveEvaluator(
      documents: documents.sorted { $0.id < $1.id }.map { named("c/\($0.id)", $0.fields) },
      children: children.sorted { $0.path < $1.path }.map { named($0.path.string, $0.fields) }
    )
    for number in 0..<Self.pipelinesPerStore {
      var random = RandomPipeline(seed: seed &* 1_000_003 &+ UInt64(number))
      let stages = random.stages()
      let expected = (try? naive.run(stages)).map { $0.map(canonical) }
      for (usesIndexes, slice, memory) in Self.runs {
        let rows: [Row]?
        do {
          rows = try fixture.rows(stages, usesIndexes: usesIndexes, slice: slice, options: memory)
        } catch let error as ServiceError where error.code == .resourceExhausted {
          continue
        } catch {
          rows = nil
        }
        let found = rows.map { $0.map { row in canonical(fields(row)) } }
        let isSame =
          random.isOrdered ? found == expected : found?.sorted() == expected?.sorted()
        #expect(
          isSame,
          "seed \(seed), pipeline \(number), indexes \(usesIndexes): \(stages) gave \(found ?? ["an error"]), not \(expected ?? ["an error"])"
        )
        guard isSame else { return }
      }
    }
  }

  private func named(_ path: String, _ fields: MapValue) -> NaiveEvaluator.Fields {
    var result: NaiveEvaluator.Fields = ["__name__": ref(path)]
    for entry in fields.entries { result[entry.key.string] = entry.value }
    return result
  }

  private func declareIndexes(_ seed: UInt64, in fixture: PipelineFixture) throws {
    let (a, b, x) = (FieldPath(["a"]), FieldPath(["b"]), FieldPath(["m", "x"]))
    let down = IndexedField(.documentName, .descending)
    let lists: [[IndexedField]] = [
      [IndexedField(a, .ascending)], [IndexedField(a, .ascending), down],
      [IndexedField(x, .ascending)], [IndexedField(x, .descending), down],
      [IndexedField(b, .ascending), IndexedField(a, .descending)],
      [IndexedField(b, .ascending), IndexedField(x, .ascending), down],
    ]
    for (number, fields) in lists.enumerated() {
      let density: IndexDensity = (Int(seed) + number) % 4 == 0 ? .sparseAny : .dense
      let definition = try IndexDefinition(
        collectionID: "c",
        scope: .collection,
        fields: fields,
        density: density
      )
      try fixture.database.declareIndex(definition)
    }
  }

  private func fields(_ row: Row) -> NaiveEvaluator.Fields {
    var fields: NaiveEvaluator.Fields = [:]
    for entry in row.fields.entries { fields[entry.key.string] = entry.value }
    if let name = row.name { fields["__name__"] = .reference(name) }
    return fields
  }

  /// The fields as a text; equal numbers look alike, because a group may show any of its values.
  private func canonical(_ fields: NaiveEvaluator.Fields) -> String {
    fields.filter { !$0.key.hasPrefix("$") }.sorted { $0.key < $1.key }.map {
      "\($0.key)=\(canonical($0.value))"
    }
    .joined(separator: ",")
  }

  private func canonical(_ value: Value) -> String {
    switch value {
    case .integer(let number): "\(Double(number))"
    case .double(let number): "\(number == 0 ? 0 : number)"
    case .array(let elements): "[\(elements.map(canonical).joined(separator: ";"))]"
    case .map(let map):
      "{\(map.entries.map { "\($0.key.string):\(canonical($0.value))" }.joined(separator: ";"))}"
    case .reference(let name): name.path.string
    case .string(let text): "'\(text.string)'"
    default: "\(value)"
    }
  }
}
