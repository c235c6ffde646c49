// Filters as a list of alternatives (disjuncts), each a list of conditions that must all hold.

extension Filter {
  /// Without empty composites, and without composites of one filter; nil is no filter.
  var simplified: Filter? {
    switch self {
    case .field, .unary: return self
    case .and(let filters):
      let kept = filters.compactMap(\.simplified)
      return kept.count > 1 ? .and(kept) : kept.first
    case .or(let filters):
      let kept = filters.compactMap(\.simplified)
      return kept.count > 1 ? .or(kept) : kept.first
    }
  }

  /// All field and unary filters, from left to right.
  var leaves: [Filter] {
    switch self {
    case .field, .unary: [self]
    case .and(let filters), .or(let filters): filters.flatMap(\.leaves)
    }
  }

  /// True if the filter contains an `or`.
  var holdsOr: Bool {
    switch self {
    case .field, .unary: false
    case .and(let filters): filters.contains(where: \.holdsOr)
    case .or: true
    }
  }

  /// The field that a leaf tests.
  var field: FieldPath? {
    switch self {
    case .field(let field, _, _), .unary(let field, _): field
    case .and, .or: nil
    }
  }

  /// The number of alternatives that multiplying out would give, without doing it.
  var disjunctCount: Int {
    switch self {
    case .field(_, .in, .array(let values)), .field(_, .arrayContainsAny, .array(let values)):
      values.count
    case .field, .unary: 1
    case .and(let filters):
      filters.reduce(1) { count, filter in
        let (product, overflow) = count.multipliedReportingOverflow(by: filter.disjunctCount)
        return overflow ? Int.max : product
      }
    case .or(let filters):
      filters.reduce(0) { count, filter in
        let (sum, overflow) = count.addingReportingOverflow(filter.disjunctCount)
        return overflow ? Int.max : sum
      }
    }
  }

  /// The most array-contains tests that one alternative gets.
  var containsCount: Int {
    switch self {
    case .field(_, .arrayContains, _), .field(_, .arrayContainsAny, _): 1
    case .field, .unary: 0
    case .and(let filters): filters.reduce(0) { $0 + $1.containsCount }
    case .or(let filters): filters.map(\.containsCount).max() ?? 0
    }
  }

  /// The alternatives; those that no document can pass are left out.
  var disjuncts: [[Condition]] {
    switch self {
    case .field(let field, let comparison, let operand):
      Self.tests(comparison, operand).map { [Condition(field, $0)] }
    case .unary(let field, let test): [[Condition(field, test.test)]]
    case .or(let filters): filters.flatMap(\.disjuncts)
    case .and(let filters):
      filters.reduce([[]]) { combined, filter in
        let alternatives = filter.disjuncts
        return combined.flatMap { left in alternatives.map { left + $0 } }
      }
    }
  }

  /// A field filter's alternatives; none where the operand matches nothing.
  private static func tests(_ comparison: FieldOperator, _ operand: Value) -> [Condition.Test] {
    switch comparison {
    case .equal: matchable(operand).map { .equal($0) }
    case .lessThan: matchable(operand).map { .lessThan($0) }
    case .lessThanOrEqual: matchable(operand).map { .lessThanOrEqual($0) }
    case .greaterThan: matchable(operand).map { .greaterThan($0) }
    case .greaterThanOrEqual: matchable(operand).map { .greaterThanOrEqual($0) }
    case .notEqual: [.notEqual(operand)]
    case .arrayContains: element(operand).map { .arrayContains($0) }
    case .in: list(operand).flatMap(matchable).map { .equal($0) }
    case .arrayContainsAny: list(operand).flatMap(element).map { .arrayContains($0) }
    case .notIn: list(operand).contains(where: \.isNull) ? [] : [.notIn(list(operand))]
    }
  }

  /// Null and NaN match nothing but their own tests.
  private static func matchable(_ operand: Value) -> [Value] {
    operand.isNull || operand.isNaN ? [] : [operand]
  }

  /// No array is an element of an array.
  private static func element(_ operand: Value) -> [Value] {
    if case .array = operand { [] } else { matchable(operand) }
  }

  private static func list(_ operand: Value) -> [Value] {
    if case .array(let values) = operand { values } else { [] }
  }
}

extension Filter.UnaryOperator {
  fileprivate var test: Condition.Test {
    switch self {
    case .isNaN: .isNaN
    case .isNull: .isNull
    case .isNotNaN: .isNotNaN
    case .isNotNull: .isNotNull
    }
  }
}
