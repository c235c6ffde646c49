import FirestoreModel

/// Operators that a query cannot have together, on any fields; the server checks everything else.
enum FilterConflicts {
  /// Throws if the operators of an added filter conflict with each other or with existing ones.
  static func check(
    _ added: FirestoreModel.Filter,
    with present: FirestoreModel.Filter?
  ) throws(QueryProblem) {
    var known = present?.operators ?? []
    for operation in added.operators {
      if let other = known.first(where: { conflict(operation, $0) }) {
        throw problem(operation, other)
      }
      known.append(operation)
    }
  }

  private static func conflict(
    _ left: FirestoreModel.Filter.FieldOperator,
    _ right: FirestoreModel.Filter.FieldOperator
  ) -> Bool {
    switch (left, right) {
    case (.notEqual, .notEqual), (.notEqual, .notIn), (.notIn, .notEqual), (.notIn, .notIn),
      (.notIn, .in), (.in, .notIn), (.notIn, .arrayContainsAny), (.arrayContainsAny, .notIn):
      true
    default: false
    }
  }

  private static func problem(
    _ added: FirestoreModel.Filter.FieldOperator,
    _ present: FirestoreModel.Filter.FieldOperator
  ) -> QueryProblem {
    added == present
      ? QueryProblem("Invalid Query. You cannot use more than one '\(added)' filter.")
      : QueryProblem("Invalid Query. You cannot use '\(added)' filters with '\(present)' filters.")
  }
}
