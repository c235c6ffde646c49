/// A condition, an order or a limit of `@FirestoreQuery`.
///
/// Fields are given by their paths with dots.
public enum QueryPredicate {
  /// The field equals a value.
  case isEqualTo(_ field: String, _ value: Any)
  /// The field is one of these values.
  case isIn(_ field: String, _ values: [Any])
  /// The field is there and none of these values.
  case isNotIn(_ field: String, _ values: [Any])
  /// The field is an array with a value.
  case arrayContains(_ field: String, _ value: Any)
  /// The field is an array with one of these values.
  case arrayContainsAny(_ field: String, _ values: [Any])
  /// The field is less than a value.
  case isLessThan(_ field: String, _ value: Any)
  /// The field is greater than a value.
  case isGreaterThan(_ field: String, _ value: Any)
  /// The field is at most a value.
  case isLessThanOrEqualTo(_ field: String, _ value: Any)
  /// The field is at least a value.
  case isGreaterThanOrEqualTo(_ field: String, _ value: Any)
  /// In the order of a field; `true` is the greatest first.
  case orderBy(_ field: String, _ descending: Bool)
  /// Only the first so many.
  case limitTo(_ limit: Int)
  /// Only the last so many; needs an order.
  case limitToLast(_ limit: Int)

  /// A query that has this too; traps where that cannot be one.
  package func applied(to query: Query) -> Query {
    switch self {
    case .isEqualTo(let field, let value): query.whereField(field, isEqualTo: value)
    case .isIn(let field, let values): query.whereField(field, in: values)
    case .isNotIn(let field, let values): query.whereField(field, notIn: values)
    case .arrayContains(let field, let value): query.whereField(field, arrayContains: value)
    case .arrayContainsAny(let field, let values):
      query.whereField(field, arrayContainsAny: values)
    case .isLessThan(let field, let value): query.whereField(field, isLessThan: value)
    case .isGreaterThan(let field, let value): query.whereField(field, isGreaterThan: value)
    case .isLessThanOrEqualTo(let field, let value):
      query.whereField(field, isLessThanOrEqualTo: value)
    case .isGreaterThanOrEqualTo(let field, let value):
      query.whereField(field, isGreaterThanOrEqualTo: value)
    case .orderBy(let field, let descending): query.order(by: field, descending: descending)
    case .limitTo(let limit): query.limit(to: limit)
    case .limitToLast(let limit): query.limit(toLast: limit)
    }
  }
}

// The same in the words of queries.

extension QueryPredicate {
  /// The field equals a value.
  public static func whereField(_ field: String, isEqualTo value: Any) -> QueryPredicate {
    .isEqualTo(field, value)
  }

  /// The field is one of these values.
  public static func whereField(_ field: String, isIn values: [Any]) -> QueryPredicate {
    .isIn(field, values)
  }

  /// The field is there and none of these values.
  public static func whereField(_ field: String, isNotIn values: [Any]) -> QueryPredicate {
    .isNotIn(field, values)
  }

  /// The field is an array with a value.
  public static func whereField(_ field: String, arrayContains value: Any) -> QueryPredicate {
    .arrayContains(field, value)
  }

  /// The field is an array with one of these values.
  public static func whereField(
    _ field: String,
    arrayContainsAny values: [Any]
  ) -> QueryPredicate { .arrayContainsAny(field, values) }

  /// The field is less than a value.
  public static func whereField(_ field: String, isLessThan value: Any) -> QueryPredicate {
    .isLessThan(field, value)
  }

  /// The field is greater than a value.
  public static func whereField(_ field: String, isGreaterThan value: Any) -> QueryPredicate {
    .isGreaterThan(field, value)
  }

  /// The field is at most a value.
  public static func whereField(
    _ field: String,
    isLessThanOrEqualTo value: Any
  ) -> QueryPredicate { .isLessThanOrEqualTo(field, value) }

  /// The field is at least a value.
  public static func whereField(
    _ field: String,
    isGreaterThanOrEqualTo value: Any
  ) -> QueryPredicate { .isGreaterThanOrEqualTo(field, value) }

  /// The field equals a value.
  public static func `where`(_ field: String, isEqualTo value: Any) -> QueryPredicate {
    .isEqualTo(field, value)
  }

  /// The field is one of these values.
  public static func `where`(_ field: String, isIn values: [Any]) -> QueryPredicate {
    .isIn(field, values)
  }

  /// The field is there and none of these values.
  public static func `where`(_ field: String, isNotIn values: [Any]) -> QueryPredicate {
    .isNotIn(field, values)
  }

  /// The field is an array with a value.
  public static func `where`(field: String, arrayContains value: Any) -> QueryPredicate {
    .arrayContains(field, value)
  }

  /// The field is an array with one of these values.
  public static func `where`(_ field: String, arrayContainsAny values: [Any]) -> QueryPredicate {
    .arrayContainsAny(field, values)
  }

  /// The field is less than a value.
  public static func `where`(_ field: String, isLessThan value: Any) -> QueryPredicate {
    .isLessThan(field, value)
  }

  /// The field is greater than a value.
  public static func `where`(_ field: String, isGreaterThan value: Any) -> QueryPredicate {
    .isGreaterThan(field, value)
  }

  /// The field is at most a value.
  public static func `where`(_ field: String, isLessThanOrEqualTo value: Any) -> QueryPredicate {
    .isLessThanOrEqualTo(field, value)
  }

  /// The field is at least a value.
  public static func `where`(
    _ field: String,
    isGreaterThanOrEqualTo value: Any
  ) -> QueryPredicate { .isGreaterThanOrEqualTo(field, value) }

  /// In the order of a field, smallest first unless asked otherwise.
  public static func order(by field: String, descending value: Bool = false) -> QueryPredicate {
    .orderBy(field, value)
  }

  /// Only the first so many.
  public static func limit(to value: Int) -> QueryPredicate { .limitTo(value) }

  /// Only the last so many; needs an order.
  public static func limit(toLast value: Int) -> QueryPredicate { .limitToLast(value) }
}
