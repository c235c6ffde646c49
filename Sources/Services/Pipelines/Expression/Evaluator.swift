import BaseStatus
import BaseText
import FirestoreModel
import SecurityRules

/// Evaluates expressions of one request.
///
/// One thread at a time. Nil is absent. An `ExpressionFailure` is an expression's error; any other error ends the request.
final class Evaluator {
  /// The largest value that an expression may make.
  static let largestValue = 16 << 20
  private static let patternsKept = 64

  /// One time for the whole request, in microseconds.
  let now: Timestamp
  let resources: Resources
  /// The documents that joins have read ahead.
  let joins: JoinTables
  /// The sub-pipelines that no join reads ahead for.
  let subPipelines: SubPipelineRuns
  private let runRows: (StagePlan, Row, Evaluator) throws -> [Row]
  private var patterns: [Text: TextSearch] = [:]

  /// - Parameter runRows: Runs a sub-pipeline for a row.
  init(
    now: Timestamp,
    resources: Resources,
    runRows: @escaping (StagePlan, Row, Evaluator) throws -> [Row]
  ) {
    self.now = now
    self.resources = resources
    self.runRows = runRows
    let joins = JoinTables(resources)
    self.joins = joins
    let runs = SubPipelineRuns()
    subPipelines = runs
    resources.onShortage = { [unowned joins, unowned runs, unowned resources] in
      joins.clear()
      runs.clear(resources)
    }
  }

  /// The value of an expression for a row.
  func value(_ expression: Expression, _ row: Row) throws -> Value? {
    switch expression {
    case .constant(let value): return value
    case .field(let path): return row.value(at: path)
    case .variable(let name): return row.variables[name] ?? nil
    case .array(let elements):
      return try bounded(.array(elements.map { try value($0, row) ?? .null }))
    case .map(let fields):
      var entries: [MapValue.Entry] = []
      for field in fields {
        guard let value = try value(field.value, row) else { continue }
        entries.append(MapValue.Entry(key: field.key, value: value))
      }
      return try bounded(.map(MapValue(entries)))
    case .call(let function, let arguments): return try call(function, arguments, row)
    case .filter(let array, let element, let body):
      return try filter(array, element, body, row)
    case .transform(let array, let element, let index, let body):
      return try transform(array, element, index, body, row)
    case .rows(let plan, let isScalar): return try rows(plan, isScalar, row)
    }
  }

  /// Returns true if a condition is exactly true; its errors count as false.
  func holds(_ condition: Expression, _ row: Row) throws -> Bool {
    do {
      return try value(condition, row) == .boolean(true)
    } catch is ExpressionFailure {
      return false
    }
  }

  /// Refuses values that would be too large, before they are made.
  func checkRoom(_ bytes: Int) throws {
    guard bytes <= Self.largestValue else {
      throw ServiceError(
        .resourceExhausted,
        "An expression's value is larger than \(Self.largestValue >> 20) MiB. "
          + "Make smaller strings and arrays."
      )
    }
  }

  /// A value that is no larger than a value may be.
  func bounded(_ value: Value) throws -> Value {
    try checkRoom(value.memorySize(limit: Self.largestValue))
    return value
  }

  /// A compiled regular expression; the last patterns are kept.
  func pattern(_ text: Text) throws -> TextSearch {
    if let known = patterns[text] { return known }
    do {
      let made = try TextSearch(text.string)
      if patterns.count >= Self.patternsKept { patterns.removeAll() }
      patterns[text] = made
      return made
    } catch {
      throw ExpressionFailure("The regular expression is invalid: \(error.message).")
    }
  }

  private func call(
    _ function: FunctionDefinition,
    _ arguments: [Expression],
    _ row: Row
  ) throws -> Value? {
    try resources.step()
    switch function.behaviour {
    case .lazy(let body): return try body(arguments, row, self)
    case .lenient(let body): return try body(arguments.map { try value($0, row) }, self)
    case .strict(let body):
      var values: [Value] = []
      values.reserveCapacity(arguments.count)
      var hasNull = false
      for argument in arguments {
        let value = try value(argument, row) ?? .null
        hasNull = hasNull || value.isNull
        values.append(value)
      }
      return hasNull ? .null : try body(values, self)
    }
  }

  private func filter(
    _ array: Expression,
    _ element: String,
    _ body: Expression,
    _ row: Row
  ) throws -> Value? {
    guard let elements = try elements(array, row, of: "array_filter") else { return .null }
    var inner = row
    return .array(
      try elements.filter { item in
        inner.variables[element] = .some(item)
        switch try value(body, inner) {
        case .boolean(let flag)?: return flag
        case .null?, nil: return false
        default: throw ExpressionFailure("The condition of array_filter must be a boolean.")
        }
      }
    )
  }

  private func transform(
    _ array: Expression,
    _ element: String,
    _ index: String?,
    _ body: Expression,
    _ row: Row
  ) throws -> Value? {
    guard let elements = try elements(array, row, of: "array_transform") else { return .null }
    var inner = row
    var results: [Value] = []
    for (position, item) in elements.enumerated() {
      inner.variables[element] = .some(item)
      if let index { inner.variables[index] = .some(.integer(Int64(position))) }
      results.append(try value(body, inner) ?? .null)
    }
    return try bounded(.array(results))
  }

  private func elements(
    _ array: Expression,
    _ row: Row,
    of function: String
  ) throws -> [Value]? {
    switch try value(array, row) {
    case .array(let elements)?: elements
    case .null?, nil: nil
    default: throw ExpressionFailure.wrongType(function)
    }
  }

  private func rows(_ plan: StagePlan, _ isScalar: Bool, _ row: Row) throws -> Value? {
    let results = try runRows(plan, row, self)
    guard isScalar else { return try bounded(.array(results.map(\.asValue))) }
    guard results.count <= 1 else {
      throw ServiceError.invalidArgument(
        "A scalar sub-pipeline returned multiple results. Add limit(1), or use an array sub-pipeline."
      )
    }
    return results.first?.asValue ?? .null
  }
}
