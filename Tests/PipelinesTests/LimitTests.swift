import BaseStatus
import BaseText
import FirestoreModel
import PipelineModel
import Testing

@testable import Pipelines

/// The limits of pipelines: the last size that is taken, and the first that is refused.
struct LimitTests {
  private static func stage(_ name: String, _ arguments: PipelineOperand...) -> PipelineStage {
    PipelineStage(name: name, arguments: arguments)
  }

  private static func call(_ name: String, _ arguments: PipelineOperand...) -> PipelineOperand {
    .call(PipelineCall(name: name, arguments: arguments))
  }

  private static func map(_ key: Text, _ value: PipelineOperand) -> PipelineOperand {
    .map([.init(key: key, value: value)])
  }

  private static func literal(_ value: Value) -> PipelineStage {
    stage("literals", .constant(.map(MapValue([.init(key: "a", value: value)]))))
  }

  /// So many pipelines inside a pipeline.
  private static func nested(_ kind: String, _ depth: Int) -> [PipelineStage] {
    (0..<depth).reduce([literal(1)]) { inner, _ in
      switch kind {
      case "union": [literal(1), stage("union", .pipeline(inner))]
      case "where":
        [
          literal(1),
          stage("where", call("equal", call("scalar", .pipeline(inner)), .constant(1))),
        ]
      default: [literal(1), stage("select", map("a", call(kind, .pipeline(inner))))]
      }
    }
  }

  @Test(arguments: ["array", "scalar", "where", "union"])
  func `pipelines nest 20 deep`(_ kind: String) throws {
    let rows = try PipelineFixture().rows(Self.nested(kind, 20))
    var expected: Value = 1
    if kind == "array" { for _ in 0..<20 { expected = .array([expected]) } }
    #expect(rows.count == (kind == "union" ? 21 : 1))
    #expect(rows.allSatisfy { $0.fields["a"] == expected })
    let error = #expect(throws: ServiceError.self) {
      try PipelineRun.compile(Self.nested(kind, 21), in: PipelineFixture.id)
    }
    #expect(error?.code == .invalidArgument)
    let name = kind == "union" ? "Pipelines" : "Sub-pipelines"
    #expect(error?.message == "\(name) are nested more than 20 deep.")
  }

  @Test(arguments: ["select", "where"])
  func `a value of an expression has at most 16 MiB`(_ name: String) throws {
    let half = Self.literal(.string(Text(String(repeating: "x", count: 8 << 20))))
    let a = PipelineOperand.field(FieldPath(["a"]))
    func rows(adding text: Value) throws -> [Row] {
      let long = Self.call("string_concat", a, a, .constant(text))
      let length = Self.call("byte_length", long)
      let last =
        name == "select"
        ? Self.stage("select", Self.map("n", length))
        : Self.stage("where", Self.call("equal", length, .constant(.integer(16 << 20))))
      return try PipelineFixture().rows([half, last])
    }
    let allowed = try rows(adding: "")
    #expect(allowed.count == 1)
    if name == "select" { #expect(allowed.first?.fields["n"] == .integer(16 << 20)) }
    // Not an error of the expression, which would only drop the row.
    let error = #expect(throws: ServiceError.self) { try rows(adding: "y") }
    #expect(error?.code == .resourceExhausted)
    #expect(
      error?.message
        == "An expression's value is larger than 16 MiB. Make smaller strings and arrays."
    )
  }

  @Test func `a nearest vector has at most 2,048 dimensions`() throws {
    func stages(_ dimensions: Int) -> [PipelineStage] {
      let vector = Value.vector([Double](repeating: 1, count: dimensions))
      return [
        Self.literal(vector),
        Self.stage(
          "find_nearest",
          .field(FieldPath(["a"])),
          .constant(vector),
          .constant("euclidean")
        ),
      ]
    }
    #expect(try PipelineFixture().rows(stages(2_048)).count == 1)
    let error = #expect(throws: ServiceError.self) {
      try PipelineRun.compile(stages(2_049), in: PipelineFixture.id)
    }
    #expect(error?.code == .invalidArgument)
    #expect(error?.message == "Vectors must be at most 2048 dimensions.")
  }

  @Test func `kept rows take at most 128 MiB`() throws {
    let resources = Resources()
    try resources.take(128 << 20)
    let error = #expect(throws: ServiceError.self) { try resources.take(1) }
    #expect(error?.code == .resourceExhausted)
    #expect(
      error?.message
        == "The pipeline needs more memory than its limit of 134217728 bytes. "
        + "Select fewer fields, add a limit behind the sort, or raise memory_limit."
    )
  }
}
