import FirestoreModel
import Foundation

/// A condition on documents, of which `and` and `or` make others.
public final class Filter: NSObject, Sendable {
  /// A field as an app names it.
  enum Field {
    case text(String)
    case path(FieldPath)

    var names: FirestoreModel.FieldPath {
      get throws {
        switch self {
        case .text(let text): try FieldPath.checked(dotted: text).names
        case .path(let path): path.names
        }
      }
    }
  }

  /// The condition, or its error, at which the query with it traps.
  ///
  /// A test of the document's id still has the id as a text.
  let condition: Result<FirestoreModel.Filter, UserValue.Problem>

  private init(_ condition: () throws -> FirestoreModel.Filter) {
    do {
      self.condition = .success(try condition())
    } catch {
      self.condition = .failure(UserValue.Problem(message: misuseText(error)))
    }
  }

  /// A test of one field.
  convenience init(
    _ field: Field,
    _ operation: FirestoreModel.Filter.FieldOperator,
    _ operand: Any
  ) {
    self.init {
      let names = try field.names
      let value = try UserValue.value(operand, allowingNestedArrays: true)
      return .make(names, operation, value)
    }
  }

  /// Throws `invalidArgument` where every query would trap that is to have the filter.
  public func check() throws { _ = try checking { try condition.get() } }

  /// Documents that pass any of the filters.
  public class func orFilter(_ filters: [Filter]) -> Filter {
    Filter { .or(try filters.map { try $0.condition.get() }) }
  }

  /// Documents that pass all of the filters.
  public class func andFilter(_ filters: [Filter]) -> Filter {
    Filter { .and(try filters.map { try $0.condition.get() }) }
  }

  /// True for a filter of the same conditions in the same order.
  public override func isEqual(_ object: Any?) -> Bool {
    (object as? Filter)?.condition == condition
  }

  /// A hash of the conditions.
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
