import FirestoreModel

/// Functions of booleans, and those that choose among values or catch errors.
enum LogicFunctions {
  private static let many = FunctionDefinition.many

  static let all: [FunctionDefinition] = [
    .lazy("and", 1...many) { try junction($0, $1, $2, deciding: false, "and") },
    .lazy("or", 1...many) { try junction($0, $1, $2, deciding: true, "or") },
    .lazy("nor", 1...many) { try negated(junction($0, $1, $2, deciding: true, "nor")) },
    .strict("xor", 1...many) { values, _ in
      .boolean(try values.reduce(false) { try $0 != boolean($1, "xor") })
    },
    .strict("not", 1...1) { values, _ in .boolean(try !boolean(values[0], "not")) },
    .lazy("conditional", 3...3) { arguments, row, evaluator in
      let condition = try evaluator.value(arguments[0], row) ?? .null
      let isTrue = try !condition.isNull && boolean(condition, "conditional")
      return try evaluator.value(arguments[isTrue ? 1 : 2], row)
    },
    .lazy("switch_on", 2...many, switchOn),
    .lazy("if_null", 2...many, firstPresent),
    .lazy("coalesce", 1...many, firstPresent),
    .lazy("if_absent", 2...2) { arguments, row, evaluator in
      try evaluator.value(arguments[0], row) ?? evaluator.value(arguments[1], row)
    },
    .lazy("if_error", 2...2) { arguments, row, evaluator in
      do {
        return try evaluator.value(arguments[0], row)
      } catch is ExpressionFailure {
        return try evaluator.value(arguments[1], row)
      }
    },
    .lazy("is_error", 1...1) { arguments, row, evaluator in
      do {
        _ = try evaluator.value(arguments[0], row)
        return .boolean(false)
      } catch is ExpressionFailure {
        return .boolean(true)
      }
    },
    .lenient("exists", 1...1) { values, _ in .boolean(values[0] != nil) },
    .lenient("is_absent", 1...1) { values, _ in .boolean(values[0] == nil) },
    .lenient("error", 1...1) { values, _ in
      guard case .string(let message)? = values[0] else {
        throw ExpressionFailure.wrongType("error")
      }
      throw ExpressionFailure(message.string)
    },
    .lenient("is_null", 1...1) { values, _ in .boolean(values[0]?.isNull == true) },
    .lenient("is_not_null", 1...1) { values, _ in
      .boolean(values[0].map { !$0.isNull } ?? false)
    },
    .strict("is_nan", 1...1) { values, _ in .boolean(values[0].isNaN) },
    .strict("is_not_nan", 1...1) { values, _ in .boolean(!values[0].isNaN) },
  ]

  /// The three-valued `and` and `or`: the deciding value wins over everything, then an error, then null.
  private static func junction(
    _ arguments: [Expression],
    _ row: Row,
    _ evaluator: Evaluator,
    deciding: Bool,
    _ name: String
  ) throws -> Value {
    var failure: ExpressionFailure?
    var hasNull = false
    for argument in arguments {
      do {
        let value = try evaluator.value(argument, row) ?? .null
        if value.isNull {
          hasNull = true
        } else if try boolean(value, name) == deciding {
          return .boolean(deciding)
        }
      } catch let error as ExpressionFailure {
        failure = failure ?? error
      }
    }
    if let failure { throw failure }
    return hasNull ? .null : .boolean(!deciding)
  }

  private static func negated(_ value: Value) -> Value {
    if case .boolean(let flag) = value { .boolean(!flag) } else { value }
  }

  private static func boolean(_ value: Value, _ name: String) throws -> Bool {
    guard case .boolean(let flag) = value else { throw ExpressionFailure.wrongType(name) }
    return flag
  }

  private static func switchOn(
    _ arguments: [Expression],
    _ row: Row,
    _ evaluator: Evaluator
  ) throws -> Value? {
    var index = 0
    while index + 1 < arguments.count {
      let condition = try evaluator.value(arguments[index], row) ?? .null
      if try !condition.isNull && boolean(condition, "switch_on") {
        return try evaluator.value(arguments[index + 1], row)
      }
      index += 2
    }
    if index < arguments.count { return try evaluator.value(arguments[index], row) }
    throw ExpressionFailure("all switch cases evaluate to false, and no default provided")
  }

  /// The first value that is neither null nor absent; without one, the last as it is.
  private static func firstPresent(
    _ arguments: [Expression],
    _ row: Row,
    _ evaluator: Evaluator
  ) throws -> Value? {
    var last: Value?
    for argument in arguments {
      last = try evaluator.value(argument, row)
      if let last, !last.isNull { return last }
    }
    return last
  }
}
