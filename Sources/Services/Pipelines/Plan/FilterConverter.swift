import BaseText
import FirestoreModel

/// Finds the classic filter that holds for exactly the documents for which a condition is true.
struct FilterConverter {
  let scope: InputScope
  let database: DatabaseID
  /// The value of an expression that reads no row; nil for others.
  let fixedValue: (Expression) throws -> Value?

  /// A condition that is no classic filter by itself, but may be one together with others.
  enum Half {
    case exists(FieldPath)
    /// Also true for documents without the field. The value is never NaN.
    case differs(FieldPath, Value)
  }

  private static let comparisons: [String: (Filter.FieldOperator, mirrored: Filter.FieldOperator)] =
    [
      "equal": (.equal, .equal),
      "less_than": (.lessThan, .greaterThan),
      "less_than_or_equal": (.lessThanOrEqual, .greaterThanOrEqual),
      "greater_than": (.greaterThan, .lessThan),
      "greater_than_or_equal": (.greaterThanOrEqual, .lessThanOrEqual),
    ]

  /// The filter; nil where there is none.
  func filter(_ expression: Expression) throws -> Filter? {
    guard case .call(let function, let arguments) = expression else { return nil }
    switch function.name {
    case "or":
      let parts = try arguments.compactMap(filter)
      return parts.count == arguments.count ? alternative(parts) : nil
    case "and":
      let parts = try arguments.compactMap(filter)
      return parts.count == arguments.count ? .and(parts) : nil
    case "equal_any": return try list(arguments, .in)
    case "array_contains_any": return try list(arguments, .arrayContainsAny)
    case "array_contains":
      guard let (path, value) = try operands(arguments[0], arguments[1]), !path.isDocumentName,
        isComparable(value, path)
      else { return nil }
      return .field(path, .arrayContains, value)
    default: break
    }
    guard let (direct, mirrored) = Self.comparisons[function.name] else { return nil }
    if let (path, value) = try operands(arguments[0], arguments[1]) {
      return comparison(path, direct, value)
    }
    if let (path, value) = try operands(arguments[1], arguments[0]) {
      return comparison(path, mirrored, value)
    }
    guard direct == .equal else { return nil }
    return try identity(arguments[0], arguments[1]) ?? identity(arguments[1], arguments[0])
  }

  /// A filter of alternatives; nil where a classic query would find fewer documents.
  ///
  /// A classic query orders by each field that it compares, and so finds only documents that have
  /// the field, also by an alternative that does not name it.
  private func alternative(_ parts: [Filter]) -> Filter? {
    let ordered = parts.reduce(into: Set<FieldPath>()) { $0.formUnion($1.orderedFields) }
    let isWhole = ordered.allSatisfy { field in parts.allSatisfy { $0.finds(field) } }
    return isWhole ? .or(parts) : nil
  }

  /// The half of a filter that a condition is; nil for others.
  func half(_ expression: Expression) throws -> Half? {
    guard case .call(let function, let arguments) = expression else { return nil }
    switch function.name {
    case "exists":
      guard case .field(let path) = arguments[0], isQueried(path), !path.isDocumentName
      else { return nil }
      return .exists(path)
    case "not_equal":
      let found =
        try operands(arguments[0], arguments[1]) ?? operands(arguments[1], arguments[0])
      guard let (path, value) = found, !path.isDocumentName, !value.isNaN else { return nil }
      return .differs(path, value)
    default: return nil
    }
  }

  private func comparison(
    _ path: FieldPath,
    _ operation: Filter.FieldOperator,
    _ value: Value
  ) -> Filter? {
    if isComparable(value, path) { return .field(path, operation, value) }
    guard operation == .equal, !path.isDocumentName else { return nil }
    return value.isNull ? .unary(path, .isNull) : value.isNaN ? .unary(path, .isNaN) : nil
  }

  private func list(
    _ arguments: [Expression],
    _ operation: Filter.FieldOperator
  ) throws -> Filter? {
    guard case .array(let elements)? = try fixedValue(arguments[1]), !elements.isEmpty
    else { return nil }
    if operation == .in, arguments[0].isOwnDocumentID {
      let names = elements.compactMap { documentName($0) }
      guard names.count == elements.count else { return nil }
      return .field(.documentName, .in, .array(names.map(Value.reference)))
    }
    guard case .field(let path) = arguments[0], isQueried(path),
      elements.allSatisfy({ isComparable($0, path) }),
      operation == .in || !path.isDocumentName
    else { return nil }
    return .field(path, operation, .array(elements))
  }

  private func operands(_ left: Expression, _ right: Expression) throws -> (FieldPath, Value)? {
    guard case .field(let path) = left, isQueried(path), let value = try fixedValue(right)
    else { return nil }
    return (path, value)
  }

  /// The filter by name that the document's ID amounts to.
  private func identity(_ left: Expression, _ right: Expression) throws -> Filter? {
    guard left.isOwnDocumentID, let value = try fixedValue(right), let name = documentName(value)
    else { return nil }
    return .field(.documentName, .equal, .reference(name))
  }

  private func documentName(_ id: Value) -> DocumentName? {
    scope.path(ofDocument: id).map { DocumentName(database: database, path: $0) }
  }

  private func isQueried(_ path: FieldPath) -> Bool {
    path != .createTime && path != .updateTime
  }

  /// Null and NaN are filtered otherwise by classic queries; names must be in the query's scope.
  private func isComparable(_ value: Value, _ path: FieldPath) -> Bool {
    guard path.isDocumentName else { return !value.isNull && !value.isNaN }
    guard case .reference(let name) = value else { return false }
    return name.database == database && scope.holds(name.path)
  }
}

extension Filter {
  /// The fields of the comparisons by which a classic query orders its documents.
  fileprivate var orderedFields: Set<FieldPath> {
    switch self {
    case .field(let path, let operation, _):
      operation.isOrdering && !path.isDocumentName ? [path] : []
    case .unary: []
    case .and(let parts), .or(let parts):
      parts.reduce(into: []) { $0.formUnion($1.orderedFields) }
    }
  }

  /// Returns true if all documents of the filter have a field.
  fileprivate func finds(_ field: FieldPath) -> Bool {
    switch self {
    case .field(let path, _, _), .unary(let path, _): path == field
    case .and(let parts): parts.contains { $0.finds(field) }
    case .or(let parts): parts.allSatisfy { $0.finds(field) }
    }
  }
}

extension Filter.FieldOperator {
  /// True if a classic query orders its documents by the field.
  fileprivate var isOrdering: Bool {
    switch self {
    case .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual, .notEqual, .notIn: true
    case .equal, .arrayContains, .in, .arrayContainsAny: false
    }
  }
}
