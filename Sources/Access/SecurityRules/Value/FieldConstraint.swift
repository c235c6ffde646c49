import BaseText
import FirestoreModel

/// The promises of a query about one field: every test holds for every document that it returns.
///
/// A comparison with a constant is true where it is implied, and unknown (an error) otherwise: never
/// false. The constant's magnitude stays below 2^53, since rules compare integers with floats as
/// doubles while filters compare them exactly. An integer is never proven from a float bound, as in
/// Google's emulator.
package struct FieldConstraint: Sendable {
  let tests: [Condition.Test]
  /// Follows the emulator where it is known to prove what documents may break.
  let isLenient: Bool
  /// True if this is the list of an open map's keys: the tests name some of them.
  let isOfKeys: Bool

  init(tests: [Condition.Test], isLenient: Bool) {
    self.tests = tests
    self.isLenient = isLenient
    isOfKeys = false
  }

  /// The keys of a map that holds these and perhaps others.
  init(keys: [Text]) {
    tests = keys.map { .arrayContains(.string($0)) }
    isLenient = false
    isOfKeys = true
  }

  /// Returns true if the comparison of the field with that constant is sure to be true.
  func implies(_ comparison: BinaryOperator, _ constant: RulesValue) -> Bool {
    guard isLenient || constant.isExactNumber, !isOfKeys else { return false }
    return tests.contains { test in
      switch comparison {
      case .greater, .greaterOrEqual: Self.above(test, constant, comparison == .greater)
      case .less, .lessOrEqual: Self.below(test, constant, comparison == .less)
      case .equal: fixes(test, constant)
      case .notEqual: excludes(test, constant)
      default: false
      }
    }
  }

  /// Returns true if the field is a list that is sure to hold that element.
  func contains(_ element: RulesValue) -> Bool {
    guard isLenient || element.hasOneEquality else { return false }
    return tests.contains { test in
      guard case .arrayContains(let value) = test else { return false }
      return RulesValue(value).isIdentical(to: element)
    }
  }

  /// Returns true if the field is sure to equal none of the elements.
  func isNone(of elements: [RulesValue]) -> Bool {
    isLenient || elements.allSatisfy { implies(.notEqual, $0) }
  }

  private static func above(_ test: Condition.Test, _ constant: RulesValue, _ strict: Bool) -> Bool
  {
    switch test {
    case .equal(let value):
      order(value, constant).map { strict ? $0 == .descending : $0 != .ascending } ?? false
    case .greaterThan(let bound): order(bound, constant).map { $0 != .ascending } ?? false
    case .greaterThanOrEqual(let bound):
      order(bound, constant).map { strict ? $0 == .descending : $0 != .ascending } ?? false
    default: false
    }
  }

  private static func below(_ test: Condition.Test, _ constant: RulesValue, _ strict: Bool) -> Bool
  {
    switch test {
    case .equal(let value):
      order(value, constant).map { strict ? $0 == .ascending : $0 != .descending } ?? false
    case .lessThan(let bound): order(bound, constant).map { $0 != .descending } ?? false
    case .lessThanOrEqual(let bound):
      order(bound, constant).map { strict ? $0 == .ascending : $0 != .descending } ?? false
    default: false
    }
  }

  /// Returns true if an equality says that the field is that constant.
  ///
  /// One equality gives the value itself;
  /// this is for several of one field, and for the emulator's equality beside other conditions.
  private func fixes(_ test: Condition.Test, _ constant: RulesValue) -> Bool {
    switch (test, constant) {
    case (.isNull, .null): true
    case (.equal, .float(let number)) where number.isNaN: false
    case (.equal(let value), _) where constant.isComparable:
      Self.order(value, constant) == .equal
    case (.equal(let value), _): isLenient && RulesValue(value).isIdentical(to: constant)
    default: false
    }
  }

  /// As in Google's emulator, conditions of one class say nothing of constants of another.
  private func excludes(_ test: Condition.Test, _ constant: RulesValue) -> Bool {
    if case .null = constant { return true }
    guard let comparable = constant.stored else { return isOther(test, constant) }
    switch test {
    case .equal(let value):
      return value.typeOrder == comparable.typeOrder && value.compare(comparable) != .equal
    case .notEqual(let value): return Self.order(value, constant) == .equal
    case .notIn(let values): return values.contains { Self.order($0, constant) == .equal }
    case .greaterThan, .greaterThanOrEqual, .lessThan, .lessThanOrEqual:
      return Self.above(test, constant, true) || Self.below(test, constant, true)
    case .arrayContains, .isNull, .isNaN, .isNotNull, .isNotNaN: return false
    }
  }

  /// Returns true if an equality with a list or map says that the field is not that one.
  private func isOther(_ test: Condition.Test, _ constant: RulesValue) -> Bool {
    guard isLenient, case .equal(let value) = test else { return false }
    let equal = RulesValue(value)
    return equal.typeName == constant.typeName && !equal.isIdentical(to: constant)
  }

  /// The order of a query's operand and a constant of the same class; nil where rules cannot tell.
  private static func order(_ operand: Value, _ constant: RulesValue) -> Ordering? {
    guard let comparable = constant.stored, operand.typeOrder == comparable.typeOrder else {
      return nil
    }
    if operand.isBSON { return nil }
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
