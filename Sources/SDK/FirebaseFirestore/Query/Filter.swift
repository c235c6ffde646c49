import FirestoreModel
import Foundation

/// A condition on documents, of which `and` and `or` make others.
public final class Filter: NSObject, Sendable {
  /// The condition; a test of the document's id still has the id as a text.
  let condition: FirestoreModel.Filter

  init(_ condition: FirestoreModel.Filter) { self.condition = condition }

  /// A test of one field; traps on what cannot be stored.
  convenience init(
    _ path: FieldPath,
    _ operation: FirestoreModel.Filter.FieldOperator,
    _ operand: Any
  ) {
    do {
      self.init(
        .make(path.names, operation, try UserValue.value(operand, allowingNestedArrays: true))
      )
    } catch {
      preconditionFailure("\((error as? UserValue.Problem)?.message ?? "\(error)")")
    }
  }

  /// Documents that pass any of the filters.
  public class func orFilter(_ filters: [Filter]) -> Filter {
    Filter(.or(filters.map(\.condition)))
  }

  /// Documents that pass all of the filters.
  public class func andFilter(_ filters: [Filter]) -> Filter {
    Filter(.and(filters.map(\.condition)))
  }

  public override func isEqual(_ object: Any?) -> Bool {
    (object as? Filter)?.condition == condition
  }

  public override var hash: Int { condition.hashValue }
}

extension FirestoreModel.Filter {
  /// A test of one field; null and NaN have operators of their own.
  fileprivate static func make(
    _ field: FirestoreModel.FieldPath,
    _ operation: FieldOperator,
    _ operand: Value
  ) -> FirestoreModel.Filter {
    switch (operation, operand) {
    case (.equal, .null): .unary(field, .isNull)
    case (.notEqual, .null): .unary(field, .isNotNull)
    case (.equal, .double(let number)) where number.isNaN: .unary(field, .isNaN)
    case (.notEqual, .double(let number)) where number.isNaN: .unary(field, .isNotNaN)
    default: .field(field, operation, operand)
    }
  }

  /// The operators of all tests in it.
  var operators: [FieldOperator] {
    switch self {
    case .field(_, let operation, _): [operation]
    case .unary(_, .isNotNull), .unary(_, .isNotNaN): [.notEqual]
    case .unary: [.equal]
    case .and(let filters), .or(let filters): filters.flatMap(\.operators)
    }
  }
}
