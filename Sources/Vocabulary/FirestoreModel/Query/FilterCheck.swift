import BaseStatus

/// Firestore's rules for a query's filters as a whole, with its texts, in the order it checks them.
struct FilterCheck {
  private let query: Query
  private let filter: Filter?
  private let leaves: [Filter]

  init(_ query: Query, simplified filter: Filter?) {
    self.query = query
    self.filter = filter
    leaves = filter?.leaves ?? []
  }

  func run() throws(ServiceError) {
    for leaf in leaves {
      try checkList(leaf)
      try checkName(leaf)
    }
    try checkNegations()
    try checkDisjunctions()
    try checkInequalityFields()
    try checkComponents()
    try checkKeyEqualities()
  }

  /// Fields of inequalities, sorted, without the document's name.
  var inequalityFields: [FieldPath] {
    Set(leaves.filter(\.isInequality).compactMap(\.field)).filter { !$0.isDocumentName }.sorted()
  }

  private func checkList(_ leaf: Filter) throws(ServiceError) {
    guard case .field(_, let comparison, let operand) = leaf,
      let (name, limit) = comparison.list
    else { return }
    guard case .array(let values) = operand
    else { throw .invalidArgument("'\(name)' requires an ArrayValue.") }
    if values.isEmpty { throw .invalidArgument("'\(name)' requires an non-empty ArrayValue.") }
    if values.count > limit {
      throw .invalidArgument("'\(name)' supports up to \(limit) comparison values.")
    }
  }

  private func checkName(_ leaf: Filter) throws(ServiceError) {
    guard let field = leaf.field else { return }
    guard field.isDocumentName else {
      switch query.scope {
      case .collection, .collectionGroup: return
      case .children, .descendants:
        throw .invalidArgument("kind is required for filter: \(field.canonicalString)")
      }
    }
    guard case .field(_, let comparison, let operand) = leaf, comparison.mayTestNames,
      Self.areReferences(comparison.list == nil ? [operand] : operand.elements)
    else { throw .invalidArgument("__key__ filter value must be a Key") }
  }

  private static func areReferences(_ values: [Value]) -> Bool {
    values.allSatisfy { if case .reference = $0 { true } else { false } }
  }

  private func checkNegations() throws(ServiceError) {
    if leaves.count(where: \.isNegation) > 1 {
      throw .invalidArgument(
        "Only a single 'NOT_EQUAL', 'NOT_IN', 'IS_NOT_NAN', or 'IS_NOT_NULL' filter allowed per "
          + "query."
      )
    }
    let operators = leaves.compactMap(\.comparison)
    if operators.contains(.notIn),
      operators.contains(.in) || operators.contains(.arrayContainsAny) || filter?.holdsOr == true
    {
      throw .invalidArgument(
        "'NOT_IN' cannot be used in the same query with 'IN', 'ARRAY_CONTAINS_ANY' or 'OR'."
      )
    }
  }

  private func checkDisjunctions() throws(ServiceError) {
    guard let filter else { return }
    let count = filter.disjunctCount
    if count > Limits.disjunctions {
      throw .invalidArgument(
        "Too many disjunctions after normalization. Result had \(count) disjunctions which is "
          + "more than the maximum of \(Limits.disjunctions)"
      )
    }
    if filter.containsCount > 1 {
      throw .invalidArgument(
        "A maximum of 1 'ARRAY_CONTAINS' filter is allowed per disjunction."
      )
    }
  }

  private func checkInequalityFields() throws(ServiceError) {
    let fields = inequalityFields
    guard fields.count > Limits.inequalityFields else { return }
    let names = fields.map(\.canonicalString).joined(separator: ", ")
    throw .invalidArgument(
      "The query contains \(fields.count) distinct inequality fields: [\(names)]. A query may not "
        + "have more than \(Limits.inequalityFields) distinct inequality fields."
    )
  }

  private func checkKeyEqualities() throws(ServiceError) {
    let onName = leaves.filter { $0.field?.isDocumentName == true }
    guard onName.contains(where: \.isEquality), !onName.contains(where: \.isInequality),
      !inequalityFields.isEmpty
    else { return }
    throw .invalidArgument(
      "Equality on key is not allowed if there are other inequality fields and key does not appear "
        + "in inequalities."
    )
  }

  private func checkComponents() throws(ServiceError) {
    let ancestor = query.parent.isRoot ? 0 : 1
    guard leaves.count + query.orders.count + ancestor > Limits.queryComponents else { return }
    throw .invalidArgument(
      "The query may not have more than \(Limits.queryComponents) filters + sort orders + ancestor "
        + "total. Currently there are \(leaves.count) filters, \(query.orders.count) sort orders, "
        + "and \(ancestor == 1 ? "one" : "no") ancestor filter."
    )
  }
}

extension Filter {
  fileprivate var comparison: FieldOperator? {
    if case .field(_, let comparison, _) = self { comparison } else { nil }
  }

  fileprivate var isNegation: Bool {
    switch self {
    case .field(_, .notEqual, _), .field(_, .notIn, _): true
    case .unary(_, .isNotNaN), .unary(_, .isNotNull): true
    default: false
    }
  }

  fileprivate var isEquality: Bool { comparison == .equal || comparison == .in }

  fileprivate var isInequality: Bool {
    switch self {
    case .field(_, let comparison, _):
      switch comparison {
      case .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual: true
      case .equal, .arrayContains, .in, .arrayContainsAny: false
      case .notEqual, .notIn: true
      }
    case .unary: isNegation
    case .and, .or: false
    }
  }
}

extension Filter.FieldOperator {
  /// For operators that take a list: the name in errors and the most values.
  fileprivate var list: (name: String, limit: Int)? {
    switch self {
    case .in: ("IN", Limits.inValues)
    case .arrayContainsAny: ("ARRAY_CONTAINS_ANY", Limits.inValues)
    case .notIn: ("NOT_IN", Limits.notInValues)
    default: nil
    }
  }

  fileprivate var mayTestNames: Bool { self != .arrayContains && self != .arrayContainsAny }
}

extension Value {
  fileprivate var elements: [Value] {
    if case .array(let elements) = self { elements } else { [] }
  }
}
