import BaseStatus
import BaseText
import FirestoreModel
import PipelineModel
import Testing

@testable import Pipelines

/// A limit behind stages that change rows one by one reaches the sort and the input in front of them.
struct TopRowsTests {
  private static let rows = 1_500
  private static let memory: Int64 = 100_000

  private static func stage(_ name: String, _ arguments: PipelineOperand...) -> PipelineStage {
    PipelineStage(name: name, arguments: arguments)
  }

  private static func map(_ key: Text, _ value: PipelineOperand) -> PipelineOperand {
    .map([.init(key: key, value: value)])
  }

  private static let n = PipelineOperand.field(FieldPath(["n"]))
  private static let input = stage("collection", .path("/c"))
  private static let limit = stage("limit", .constant(10))
  private static let sort = stage(
    "sort",
    .map([
      .init(key: "direction", value: .constant("descending")), .init(key: "expression", value: n),
    ])
  )

  /// The stages that may stand between a sort and its limit.
  private static let between: [[PipelineStage]] = [
    [stage("select", map("n", n))],
    [stage("let", map("v", n)), stage("select", map("n", .variable("v")))],
    [stage("add_fields", map("m", n)), stage("remove_fields", .field(FieldPath(["text"])))],
    [stage("replace_with", map("n", n)), stage("offset", .constant(0))],
  ]

  private func filled() throws -> PipelineFixture {
    let fixture = try PipelineFixture()
    let text = Value.string(Text(String(repeating: "x", count: 300)))
    try fixture.put(
      (0..<Self.rows).map { number in
        let fields: [MapValue.Entry] = [
          .init(key: "n", value: .integer(Int64(number * 7 % Self.rows))),
          .init(key: "text", value: text),
        ]
        return ("d\(number)", MapValue(fields))
      }
    )
    return fixture
  }

  private func numbers(_ rows: [Row]) -> [Int64] {
    rows.compactMap { if case .integer(let number)? = $0.fields["n"] { number } else { nil } }
  }

  @Test func `a sort without an index keeps only the rows of its limit`() throws {
    let fixture = try filled()
    for stages in Self.between {
      let pipeline = [Self.input, Self.sort] + stages
      let (rows, text) = try fixture.analyzed(pipeline + [Self.limit], memory: Self.memory)
      #expect(numbers(rows) == (0..<10).map { Int64(Self.rows - 1 - $0) })
      #expect(text.contains("- MajorSort n DESC, first 10 (rows: 10,"))
      #expect(text.contains("- TableScan /c"))
      let refusal = #expect(throws: ServiceError.self) {
        try fixture.analyzed(pipeline, memory: Self.memory)
      }
      #expect(refusal?.code == .resourceExhausted)
    }
  }

  @Test func `few rows come from memory with any such stage`() throws {
    let fixture = try filled()
    let exists = PipelineOperand.call(PipelineCall(name: "exists", arguments: [Self.n]))
    for stages in Self.between.prefix(3) {
      let pipeline = [Self.input, Self.stage("where", exists), Self.sort] + stages + [Self.limit]
      let plan = try PipelineRun.compile(pipeline, in: PipelineFixture.id)
      let isPlain = !plan.stages.flatMap(\.expressions).contains { $0.usesVariables }
      #expect(plan.isSmall == isPlain)
    }
    let selected = [Self.input, Self.stage("where", exists), Self.sort] + Self.between[0]
    // Rows of the first reading stay in memory.
    #expect(try fixture.rows(selected + [Self.limit]).count == 10)
    let rows = try PipelineRun.beginInMemory(
      try PipelineRun.compile(selected + [Self.limit], in: PipelineFixture.id),
      PipelineOptions(),
      database: fixture.database,
      read: try fixture.database.beginRead(.latest),
      check: {}
    ) { try $0.next().rows }
    #expect(rows?.count == 10)
  }

  @Test func `a condition between a sort and its limit needs all rows`() throws {
    let fixture = try filled()
    let even = PipelineOperand.call(
      PipelineCall(
        name: "equal",
        arguments: [
          .call(PipelineCall(name: "mod", arguments: [Self.n, .constant(100)])), .constant(0),
        ]
      )
    )
    let pipeline =
      [Self.input, Self.sort] + Self.between[0] + [Self.stage("where", even), Self.limit]
    let (rows, text) = try fixture.analyzed(pipeline, memory: 4 << 20)
    #expect(numbers(rows) == (0..<10).map { Int64(1_400 - 100 * $0) })
    #expect(text.contains("- MajorSort n DESC (rows: "))
  }
}
