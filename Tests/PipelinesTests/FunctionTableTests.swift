import BaseText
import FirestoreModel
import PipelineModel
import Testing

@testable import Pipelines

/// Every function against its row.
struct FunctionTableTests {
  private func evaluate(_ name: String, _ arguments: [Value?]) throws -> Value? {
    let operands = arguments.enumerated().map { index, value in
      value.map { PipelineOperand.constant($0) } ?? .field(FieldPath([Text("absent\(index)")]))
    }
    let expression = try ExpressionCompiler(database: DatabaseID(project: "demo"))
      .compile(.call(PipelineCall(name: name, arguments: operands)))
    let evaluator = Evaluator(
      now: Timestamp(microseconds: 1_000_000),
      resources: Resources()
    ) { _, _, _ in [] }
    return try evaluator.value(expression, Row(MapValue()))
  }

  @Test func `every function has a row`() {
    #expect(Set(FunctionRow.all.map(\.name)) == Set(FunctionTable.names))
  }

  /// The rows that each function with arguments must have: a result, null, absent, and limits.
  @Test(arguments: FunctionRow.all) func `a row says everything`(_ row: FunctionRow) {
    let isConstant = row.types.isEmpty
    let works = row.examples.contains { example in
      if case .success = example.result { true } else { false }
    }
    #expect(works || Self.withoutResult.contains(row.name), "no result of \(row.name)")
    guard !isConstant else { return }
    if case .examples = row.nulls {
      let isNull = { (value: Value?) in value?.isNull == true }
      #expect(row.examples.contains { $0.arguments.contains(where: isNull) }, "null: \(row.name)")
      #expect(row.examples.contains { $0.arguments.contains { $0 == nil } }, "absent: \(row.name)")
    }
    #expect(
      row.types.allSatisfy { $0 == "*" } || row.examples.first != nil,
      "wrong types: \(row.name)"
    )
    #expect(
      row.examples.count > 1 || Self.withoutLimits.contains(row.name),
      "limits: \(row.name) has one example"
    )
  }

  /// Functions that fail always, or give another result each time.
  private static let withoutResult: Set<String> = [
    "error", "rand", "current_document", "current_context",
  ]
  /// Functions without a limit: each argument of their types is like every other.
  private static let withoutLimits: Set<String> = ["not"]

  @Test(arguments: FunctionRow.all) func `examples`(_ row: FunctionRow) throws {
    for example in row.examples {
      switch example.result {
      case .success(let expected):
        let result = try evaluate(row.name, example.arguments)
        let isClose = isNear(result, expected)
        #expect(result == expected || isClose, "\(row.name) of \(example.arguments)")
      case .failure:
        #expect(throws: ExpressionFailure.self, "\(row.name) of \(example.arguments)") {
          try evaluate(row.name, example.arguments)
        }
      }
    }
  }

  private func isNear(_ result: Value?, _ expected: Value?) -> Bool {
    guard case .double(let left)? = result, case .double(let right)? = expected else {
      return false
    }
    // Processors give NaN either sign.
    return left.isNaN && right.isNaN || abs(left - right) < 1e-12
  }

  @Test(arguments: FunctionRow.all) func `null and absent arguments`(_ row: FunctionRow) throws {
    guard row.nulls == .null, let example = row.examples.first else { return }
    for index in example.arguments.indices {
      for missing in [Value.null, nil] as [Value?] {
        var arguments = example.arguments
        arguments[index] = missing
        #expect(try evaluate(row.name, arguments) == .null, "\(row.name) at \(index)")
      }
    }
  }

  @Test(arguments: FunctionRow.all) func `arguments of wrong types`(_ row: FunctionRow) throws {
    guard let example = row.examples.first else { return }
    for (index, types) in row.types.enumerated() where types != "*" {
      guard index < example.arguments.count else { continue }
      for (letter, value) in TypeSamples.all where letter != "n" && !types.contains(letter) {
        var arguments = example.arguments
        arguments[index] = value
        // What decides alone keeps the other argument from counting.
        if ["and", "or", "nor"].contains(row.name) {
          arguments[1 - index] = row.name == "and" ? true : false
        }
        #expect(throws: ExpressionFailure.self, "\(row.name) at \(index) with \(letter)") {
          try evaluate(row.name, arguments)
        }
      }
    }
  }
}
