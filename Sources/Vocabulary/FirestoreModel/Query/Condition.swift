import BaseText

/// A single test on one field: the parts of a disjunct of a normalized query.
package struct Condition: Sendable, Hashable {
  /// `in` and `array-contains-any` have become disjuncts; operands that match nothing are gone.
  package enum Test: Sendable, Hashable {
    /// Never null or NaN; those are tests of their own.
    case equal(Value)
    case lessThan(Value)
    case lessThanOrEqual(Value)
    case greaterThan(Value)
    case greaterThanOrEqual(Value)
    case notEqual(Value)
    /// Never holds null.
    case notIn([Value])
    case arrayContains(Value)
    case isNull
    case isNaN
    case isNotNull
    case isNotNaN
  }

  /// The field under test, or `__name__`, whose operands are references.
  package let field: FieldPath
  /// The comparison and its operand; a document without the field passes none.
  package let test: Test

  /// A test of that field.
  package init(_ field: FieldPath, _ test: Test) {
    self.field = field
    self.test = test
  }

  /// True if documents that pass form ranges rather than one point of the field's index; such a
  /// field joins the implicit orders.
  package var isInequality: Bool {
    switch test {
    case .equal, .arrayContains, .isNull, .isNaN: false
    default: true
    }
  }

  /// The one value, by Firestore's equality, that passing fields have; nil for other tests.
  package var equalValue: Value? {
    switch test {
    case .equal(let operand): operand
    case .isNull: .null
    case .isNaN: .double(.nan)
    default: nil
    }
  }

  /// Returns true if a document passes whose field has this value (nil: lacks the field).
  package func matches(_ value: Value?) -> Bool {
    guard let value else { return false }
    switch test {
    case .equal(let operand): return value.isEqual(to: operand)
    case .lessThan(let operand): return compare(value, operand) { $0 == .ascending }
    case .lessThanOrEqual(let operand): return compare(value, operand) { $0 != .descending }
    case .greaterThan(let operand): return compare(value, operand) { $0 == .descending }
    case .greaterThanOrEqual(let operand): return compare(value, operand) { $0 != .ascending }
    case .notEqual(let operand): return !value.isNull && !value.isEqual(to: operand)
    case .notIn(let operands):
      return !value.isNull && !operands.contains { $0.isEqual(to: value) }
    case .arrayContains(let operand):
      guard case .array(let elements) = value else { return false }
      return elements.contains { $0.isEqual(to: operand) }
    case .isNull: return value.isNull
    case .isNaN: return value.isNaN
    case .isNotNull: return !value.isNull
    case .isNotNaN: return !value.isNull && !value.isNaN
    }
  }

  /// Ranges hold only values of their operand's class.
  private func compare(_ value: Value, _ operand: Value, _ passes: (Ordering) -> Bool) -> Bool {
    value.typeOrder == operand.typeOrder && passes(value.compare(operand))
  }
}
