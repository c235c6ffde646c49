import BaseText
import FirestoreModel
import PipelineModel
import Testing

@testable import Pipelines

/// The stages that a pipeline's input may serve, and the filters that rules are proved from.
struct InputPrefixTests {
  private static let a = FieldPath(["a"])
  private static let variable = PipelineOperand.variable("v")

  private static func call(_ name: String, _ arguments: PipelineOperand...) -> PipelineOperand {
    .call(PipelineCall(name: name, arguments: arguments))
  }

  private static func stage(_ name: String, _ arguments: PipelineOperand...) -> PipelineStage {
    PipelineStage(name: name, arguments: arguments)
  }

  private static func filter(_ side: PipelineOperand) -> PipelineStage {
    stage("where", call("equal", side, .constant(1)))
  }

  private static func sort(_ operand: PipelineOperand) -> PipelineStage {
    let order = PipelineOperand.map([
      .init(key: "direction", value: .constant("ascending")),
      .init(key: "expression", value: operand),
    ])
    return stage("sort", order)
  }

  private static let define = stage("let", .map([.init(key: "v", value: .field(a))]))
  private static let limit = stage("limit", .constant(1))

  private func prefix(_ stages: [PipelineStage]) throws -> InputPrefix {
    let input = Self.stage("collection", .path("/c"))
    let plan = try PipelineRun.compile([input] + stages, in: PipelineFixture.id)
    let scope = InputScope(collection: ResourcePath(["c"]))
    let converter = FilterConverter(scope: scope, database: PipelineFixture.id) { $0.constantValue }
    return try InputPrefix(plan.stages, converter)
  }

  /// The stage as a letter; `V` is a condition or a sort by the variable.
  private func letter(_ stage: Stage) -> String {
    switch stage {
    case .define: "l"
    case .filter(let condition): condition.mayUse(["v"]) ? "V" : "w"
    case .sort(let orders): orders.contains { $0.expression.mayUse(["v"]) } ? "S" : "s"
    case .limit: "n"
    default: "?"
    }
  }

  struct Case: Sendable {
    let stages: [PipelineStage]
    let expected: String
    let count: Int
    let numbers: [Int]

    init(_ stages: [PipelineStage], _ expected: String, _ count: Int, _ numbers: [Int]) {
      self.stages = stages
      self.expected = expected
      self.count = count
      self.numbers = numbers
    }
  }

  private static let cases: [Case] = [
    Case([filter(.field(a)), sort(.field(a)), limit], "wsn", 2, [0]),
    Case([define, filter(.field(a)), sort(.field(a)), limit], "wsln", 2, [0]),
    Case([define, limit, filter(.field(a))], "lnw", 0, []),
    Case([define, filter(variable), filter(.field(a))], "wlV", 1, [1]),
    Case([define, sort(variable), filter(.field(a))], "wlS", 1, [0]),
    // A sort would have more rows in front of the condition than behind it.
    Case([define, filter(variable), sort(.field(a)), limit], "lVsn", 0, []),
    Case([define, sort(.field(a)), filter(variable), limit], "slVn", 1, []),
    Case(
      [
        define,
        stage(
          "where",
          call("and", call("equal", variable, .constant(2)), call("exists", .field(a)))
        ),
        filter(.field(a)),
      ],
      "wwlV",
      2,
      [1, 2]
    ),
  ]

  @Test(arguments: cases) func `a let lets what does not need it pass`(_ example: Case) throws {
    let prefix = try prefix(example.stages)
    #expect(prefix.stages.map(letter).joined() == example.expected)
    #expect(prefix.count == example.count)
    #expect(prefix.conditions.map(\.number) == example.numbers)
  }

  @Test func `a condition behind a let finds its index, and the join its key`() throws {
    let fixture = try PipelineFixture()
    try fixture.put(
      (0..<40).map { number in
        let fields: [MapValue.Entry] = [
          .init(key: "a", value: .integer(Int64(number % 4))),
          .init(key: "b", value: .integer(Int64(number % 3))),
        ]
        return ("d\(number)", MapValue(fields))
      }
    )
    let input = Self.stage("collection", .path("/c"))
    let other = FieldPath(["b"])
    let define = Self.stage("let", .map([.init(key: "v", value: .field(other))]))
    let (rows, text) = try fixture.analyzed(
      [input, define, Self.filter(.field(Self.a)), Self.filter(Self.variable)],
      memory: 1 << 20
    )
    #expect(rows.count == 4)
    #expect(text.contains("- IndexSeek /c index (a ASC, __name__ ASC) (rows: 10,"))
    let inner = [
      input, Self.stage("let", .map([.init(key: "w", value: .constant(1))])),
      Self.stage("where", Self.call("equal", .field(.documentName), Self.variable)),
      Self.stage("select", .map([.init(key: "b", value: .field(other))])),
    ]
    let found = Self.call("scalar", .pipeline(inner))
    let (joined, plan) = try fixture.analyzed(
      [
        input, Self.stage("let", .map([.init(key: "v", value: .field(.documentName))])),
        Self.stage(
          "select",
          .map([.init(key: "b", value: .field(other)), .init(key: "found", value: found)])
        ),
      ],
      memory: 1 << 20
    )
    #expect(joined.count == 40)
    #expect(joined.allSatisfy { $0.fields["b"] == $0.fields["found"] })
    #expect(plan.contains("- LookupById /c by __name__ (rows: 40,"))
  }

  private static let differs = call("not_equal", .field(a), .constant("x"))
  private static let exists = call("exists", .field(a))
  private static let isNotNull = call("not_equal", .field(a), .constant(.null))

  private static let negations: [([PipelineOperand], [Filter])] = [
    ([differs], []),
    ([call("exists", .field(FieldPath(["b"]))), differs], []),
    ([differs, exists], [.or([.field(a, .notEqual, "x"), .unary(a, .isNull)])]),
    (
      [call("not_equal", .constant("x"), .field(a)), exists, isNotNull],
      [
        .field(a, .notEqual, "x"), .unary(a, .isNotNull),
      ]
    ),
    ([isNotNull], []),
    ([differs, isNotNull], []),
    ([differs, call("less_than", .field(a), .constant("y"))], [.field(a, .notEqual, "x")]),
    // Null is equal to null, and passes.
    ([differs, call("equal", .field(a), .constant(.null))], []),
    ([exists, call("not_equal", .field(a), .constant(.double(.nan)))], []),
    ([call("or", exists, differs)], []),
    (
      [
        call("exists", .field(.documentName)),
        call("not_equal", .field(.documentName), .constant(1)),
      ], []
    ),
  ]

  @Test(arguments: negations.indices)
  func `not_equal is a classic filter where the field is there`(_ index: Int) throws {
    let (conditions, expected) = Self.negations[index]
    #expect(try prefix(conditions.map { Self.stage("where", $0) }).negations == expected)
    // The premises of a proof in one condition are the same.
    guard conditions.count > 1 else { return }
    let all = PipelineOperand.call(PipelineCall(name: "and", arguments: conditions))
    #expect(try prefix([Self.stage("where", all)]).negations == expected)
  }
}
