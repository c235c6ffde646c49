import FirestoreModel

/// What a query promises of one field: every test holds for every document that it returns.
///
/// A comparison with a constant is true where it is implied, and unknown (an error) otherwise: never
/// false. The constant's magnitude stays below 2^53, since rules compare integers with floats as
/// doubles while filters compare them exactly. An integer is never proven from a float bound, as in
/// Google's emulator.
package struct FieldConstraint: Sendable {
  let tests: [Condition.Test]
  /// Follows the emulator where it is known to prove what documents may break.
  let isLenient: Bool

  /// Whether the comparison of the field with that constant is sure to be true.
  func implies(_ comparison: BinaryOperator, _ constant: RulesValue) -> Bool {
    guard isLenient || constant.isExactNumber else { return false }
    return tests.contains { test in
      switch comparison {
      case .greater, .greaterOrEqual: Self.above(test, constant, comparison == .greater)
      case .less, .lessOrEqual: Self.below(test, constant, comparison == .less)
      case .notEqual: Self.excludes(test, constant)
      default: false
      }
    }
  }

  /// Whether the field is a list that is sure to hold that element.
  func contains(_ element: RulesValue) -> Bool {
    guard isLenient || element.hasOneEquality else { return false }
    return tests.contains { test in
      guard case .arrayContains(let value) = test else { return false }
      return RulesValue(value).isIdentical(to: element)
    }
  }

  /// Whether the field is sure to be none of the elements.
  func isNone(of elements: [RulesValue]) -> Bool {
    isLenient || elements.allSatisfy { implies(.notEqual, $0) }
  }

  private static func above(_ test: Condition.Test, _ constant: RulesValue, _ strict: Bool) -> Bool
  {
    switch test {
    case .greaterThan(let bound): order(bound, constant).map { $0 != .ascending } ?? false
    case .greaterThanOrEqual(let bound):
      order(bound, constant).map { strict ? $0 == .descending : $0 != .ascending } ?? false
    default: false
    }
  }

  private static func below(_ test: Condition.Test, _ constant: RulesValue, _ strict: Bool) -> Bool
  {
    switch test {
    case .lessThan(let bound): order(bound, constant).map { $0 != .descending } ?? false
    case .lessThanOrEqual(let bound):
      order(bound, constant).map { strict ? $0 == .ascending : $0 != .descending } ?? false
    default: false
    }
  }

  private static func excludes(_ test: Condition.Test, _ constant: RulesValue) -> Bool {
    if case .null = constant { return true }
    guard constant.isComparable else { return false }
    switch test {
    case .notEqual(let value): return order(value, constant) == .equal
    case .notIn(let values): return values.contains { order($0, constant) == .equal }
    case .greaterThan(let bound): return isElsewhere(bound, constant) { $0 != .ascending }
    case .greaterThanOrEqual(let bound): return isElsewhere(bound, constant) { $0 == .descending }
    case .lessThan(let bound): return isElsewhere(bound, constant) { $0 != .descending }
    case .lessThanOrEqual(let bound): return isElsewhere(bound, constant) { $0 == .ascending }
    case .arrayContains: return true
    case .equal, .isNull, .isNaN, .isNotNull, .isNotNaN: return false
    }
  }

  /// A range holds only values of its bound's class, so constants of other classes are excluded.
  private static func isElsewhere(
    _ bound: Value,
    _ constant: RulesValue,
    _ passes: (Ordering) -> Bool
  ) -> Bool {
    guard let comparable = constant.stored else { return false }
    if bound.typeOrder != comparable.typeOrder { return true }
    return order(bound, constant).map(passes) ?? false
  }

  /// How a query's operand stands to a constant of the same class; nil where rules cannot tell.
  private static func order(_ operand: Value, _ constant: RulesValue) -> Ordering? {
    guard let comparable = constant.stored, operand.typeOrder == comparable.typeOrder else {
      return nil
    }
    if case .double = operand, case .integer = constant { return nil }
    if case .null = operand { return nil }
    // Within a microsecond the stored instant cannot tell; rules see nanoseconds of `request.time`.
    if case .timestamp(let instant) = constant, instant.nanos % 1_000 != 0,
      operand.compare(comparable) == .equal
    {
      return .ascending
    }
    return operand.compare(comparable)
  }
}

extension RulesValue {
  /// False for numbers that rules' comparison by doubles may confuse with neighbours.
  fileprivate var isExactNumber: Bool {
    switch self {
    case .integer(let number): number.magnitude < 1 << 53
    case .float(let number): number.magnitude < 0x1p53
    default: true
    }
  }

  /// Classes in which an element that a filter takes for equal is equal to rules as well.
  fileprivate var hasOneEquality: Bool {
    switch self {
    case .boolean, .string, .bytes, .timestamp, .path: true
    default: false
    }
  }

  fileprivate var isComparable: Bool { stored != nil }

  /// The value as filters know it; nil for classes that rules compare otherwise than filters.
  fileprivate var stored: Value? {
    switch self {
    case .boolean(let flag): .boolean(flag)
    case .integer(let number): .integer(number)
    case .float(let number): .double(number)
    case .string(let text): .string(text)
    case .bytes(let content): .bytes(content)
    case .timestamp(let instant):
      Timestamp(seconds: instant.seconds, nanos: instant.nanos).map(Value.timestamp)
    default: nil
    }
  }
}
