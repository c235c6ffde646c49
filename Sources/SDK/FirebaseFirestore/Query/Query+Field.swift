import Foundation

// Filters on one field, by its path with dots or a `FieldPath`.

extension Query {
  /// Documents whose field equals a value.
  public func whereField(_ field: String, isEqualTo value: Any) -> Query {
    whereFilter(.whereField(field, isEqualTo: value))
  }

  /// Documents whose field equals a value.
  public func whereField(_ path: FieldPath, isEqualTo value: Any) -> Query {
    whereFilter(.whereField(path, isEqualTo: value))
  }

  /// Documents whose field is there and differs from a value.
  public func whereField(_ field: String, isNotEqualTo value: Any) -> Query {
    whereFilter(.whereField(field, isNotEqualTo: value))
  }

  /// Documents whose field is there and differs from a value.
  public func whereField(_ path: FieldPath, isNotEqualTo value: Any) -> Query {
    whereFilter(.whereField(path, isNotEqualTo: value))
  }

  /// Documents whose field is less than a value.
  public func whereField(_ field: String, isLessThan value: Any) -> Query {
    whereFilter(.whereField(field, isLessThan: value))
  }

  /// Documents whose field is less than a value.
  public func whereField(_ path: FieldPath, isLessThan value: Any) -> Query {
    whereFilter(.whereField(path, isLessThan: value))
  }

  /// Documents whose field is at most a value.
  public func whereField(_ field: String, isLessThanOrEqualTo value: Any) -> Query {
    whereFilter(.whereField(field, isLessThanOrEqualTo: value))
  }

  /// Documents whose field is at most a value.
  public func whereField(_ path: FieldPath, isLessThanOrEqualTo value: Any) -> Query {
    whereFilter(.whereField(path, isLessThanOrEqualTo: value))
  }

  /// Documents whose field is greater than a value.
  public func whereField(_ field: String, isGreaterThan value: Any) -> Query {
    whereFilter(.whereField(field, isGreaterThan: value))
  }

  /// Documents whose field is greater than a value.
  public func whereField(_ path: FieldPath, isGreaterThan value: Any) -> Query {
    whereFilter(.whereField(path, isGreaterThan: value))
  }

  /// Documents whose field is at least a value.
  public func whereField(_ field: String, isGreaterThanOrEqualTo value: Any) -> Query {
    whereFilter(.whereField(field, isGreaterOrEqualTo: value))
  }

  /// Documents whose field is at least a value.
  public func whereField(_ path: FieldPath, isGreaterThanOrEqualTo value: Any) -> Query {
    whereFilter(.whereField(path, isGreaterOrEqualTo: value))
  }

  /// Documents whose field is an array with a value.
  public func whereField(_ field: String, arrayContains value: Any) -> Query {
    whereFilter(.whereField(field, arrayContains: value))
  }

  /// Documents whose field is an array with a value.
  public func whereField(_ path: FieldPath, arrayContains value: Any) -> Query {
    whereFilter(.whereField(path, arrayContains: value))
  }

  /// Documents whose field is an array with one of these values.
  public func whereField(_ field: String, arrayContainsAny value: [Any]) -> Query {
    whereFilter(.whereField(field, arrayContainsAny: value))
  }

  /// Documents whose field is an array with one of these values.
  public func whereField(_ path: FieldPath, arrayContainsAny value: [Any]) -> Query {
    whereFilter(.whereField(path, arrayContainsAny: value))
  }

  /// Documents whose field is one of these values.
  public func whereField(_ field: String, in value: [Any]) -> Query {
    whereFilter(.whereField(field, in: value))
  }

  /// Documents whose field is one of these values.
  public func whereField(_ path: FieldPath, in value: [Any]) -> Query {
    whereFilter(.whereField(path, in: value))
  }

  /// Documents whose field is there and none of these values.
  public func whereField(_ field: String, notIn value: [Any]) -> Query {
    whereFilter(.whereField(field, notIn: value))
  }

  /// Documents whose field is there and none of these values.
  public func whereField(_ path: FieldPath, notIn value: [Any]) -> Query {
    whereFilter(.whereField(path, notIn: value))
  }
}
