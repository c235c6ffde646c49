// Predicates that can be looked into are Apple's: Foundation on Linux has none with a format.
#if canImport(Darwin)
import Foundation

extension Query {
  /// Documents that also pass a predicate: comparisons of a field with a value, joined by AND.
  ///
  /// A field is a key path. `CONTAINS` asks for an array's element, `IN` for one of several values. Traps at any other
  /// predicate.
  public func filter(using predicate: NSPredicate) -> Query {
    switch predicate {
    case let comparison as NSComparisonPredicate: return filtered(comparison)
    case let compound as NSCompoundPredicate where compound.compoundPredicateType == .and:
      return compound.subpredicates.reduce(self) { query, part in
        (part as? NSPredicate).map { query.filter(using: $0) } ?? query
      }
    default:
      preconditionFailure("Invalid query. A predicate must be comparisons joined by AND.")
    }
  }

  private func filtered(_ comparison: NSComparisonPredicate) -> Query {
    let (left, right) = (comparison.leftExpression, comparison.rightExpression)
    let kind = comparison.predicateOperatorType
    switch (left.expressionType, right.expressionType) {
    case (.keyPath, .constantValue):
      return filtered(left.keyPath, kind, right.constantValue ?? NSNull())
    case (.keyPath, .aggregate):
      let values = (right.collection as? [NSExpression] ?? []).map { $0.constantValue ?? NSNull() }
      return filtered(left.keyPath, kind, values)
    case (.constantValue, .keyPath):
      return filtered(right.keyPath, Self.turned(kind), left.constantValue ?? NSNull())
    default:
      preconditionFailure("Invalid query. Comparisons must have a key path and a constant.")
    }
  }

  private func filtered(
    _ field: String,
    _ kind: NSComparisonPredicate.Operator,
    _ value: Any
  ) -> Query {
    switch kind {
    case .equalTo: return whereField(field, isEqualTo: value)
    case .notEqualTo: return whereField(field, isNotEqualTo: value)
    case .lessThan: return whereField(field, isLessThan: value)
    case .lessThanOrEqualTo: return whereField(field, isLessThanOrEqualTo: value)
    case .greaterThan: return whereField(field, isGreaterThan: value)
    case .greaterThanOrEqualTo: return whereField(field, isGreaterThanOrEqualTo: value)
    case .contains: return whereField(field, arrayContains: value)
    case .in:
      guard let values = value as? [Any] else {
        preconditionFailure("Invalid query. IN must be followed by an array.")
      }
      return whereField(field, in: values)
    default: preconditionFailure("Invalid query. The operator \(kind.rawValue) is not supported.")
    }
  }

  /// The operator with its sides exchanged.
  private static func turned(
    _ kind: NSComparisonPredicate.Operator
  ) -> NSComparisonPredicate.Operator {
    switch kind {
    case .lessThan: .greaterThan
    case .lessThanOrEqualTo: .greaterThanOrEqualTo
    case .greaterThan: .lessThan
    case .greaterThanOrEqualTo: .lessThanOrEqualTo
    case .in: .contains
    case .contains: .in
    default: kind
    }
  }
}
#endif
