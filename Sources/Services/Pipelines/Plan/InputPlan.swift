import BaseStatus
import BaseText
import DocumentStore
import FirestoreModel

/// The documents that an input ranges over.
struct InputScope: Hashable {
  let parent: ResourcePath
  let scope: Query.Scope

  init(collection: ResourcePath) {
    parent = collection.parent
    scope = .collection(collection.lastID ?? "")
  }

  init(group: Text) {
    parent = .root
    scope = .collectionGroup(group)
  }

  /// The whole database.
  init() {
    parent = .root
    scope = .descendants
  }

  /// A query for all documents of the scope.
  var query: Query { Query(parent: parent, scope: scope) }

  /// Whether a document may be in the scope, so that its name may be looked for there.
  func holds(_ path: ResourcePath) -> Bool {
    guard path.isDocument else { return false }
    return switch scope {
    case .collection(let id): path.parent == parent.appending(id)
    case .collectionGroup(let id): path.parent.lastID == id
    case .children, .descendants: false
    }
  }

  var text: String {
    switch scope {
    case .collection(let id): "/" + parent.appending(id).string
    case .collectionGroup(let id): "**/\(id.string)"
    case .children, .descendants: "/"
    }
  }
}

/// How the documents of an input are read.
struct InputPlan {
  let scope: InputScope
  let cursor: QueryCursor
  /// Queries that hold every document which the pipeline can see of the input; the rules may allow one by proof.
  let proofs: [NormalizedQuery]
  /// Whether the query gives the rows in the order of the pipeline's sort.
  let isSorted: Bool
  /// Conditions that the query leaves to a filter, in the order in which they are to be evaluated.
  let residual: [Expression]
  let nodeName: String
  let detail: String
}

/// The stages right behind an input that filter and sort its documents before anything changes them.
struct InputPrefix {
  /// A condition, and the same as a classic query has it where it does.
  struct Condition {
    let expression: Expression
    let filter: Filter?
  }

  private(set) var conditions: [Condition] = []
  private(set) var orders: [SortOrder] = []
  /// Stages that belong to the prefix.
  private(set) var count = 0

  init(_ stages: [Stage], _ scope: InputScope, _ variables: [String: Value?]) {
    let converter = FilterConverter(scope: scope, variables: variables)
    for stage in stages {
      switch stage {
      case .filter(let expression):
        for part in Self.conjuncts(expression) {
          conditions.append(Condition(expression: part, filter: converter.filter(part)))
        }
      case .sort(let orders): self.orders = orders
      default: return
      }
      count += 1
    }
  }

  private static func conjuncts(_ expression: Expression) -> [Expression] {
    guard case .call(let function, let arguments) = expression, function.name == "and"
    else { return [expression] }
    return arguments.flatMap(conjuncts)
  }

  /// The orders as a classic query has them, where conditions make sure that each document has the fields.
  var classicOrders: [Order]? {
    var result: [Order] = []
    for order in orders {
      guard case .field(let path) = order.expression,
        path != .createTime, path != .updateTime,
        path.isDocumentName || conditions.contains(where: { isPresent(path, $0) })
      else { return nil }
      result.append(Order(path, order.isDescending ? .descending : .ascending))
      if path.isDocumentName { break }
    }
    return result
  }

  private func isPresent(_ path: FieldPath, _ condition: Condition) -> Bool {
    if case .field(path, _, _)? = condition.filter { return true }
    return isExistence(condition.expression, of: path)
  }

  /// Whether a condition only asks for a field that an order asks for anyway.
  func isExistence(_ expression: Expression, of path: FieldPath) -> Bool {
    guard case .call(let function, let arguments) = expression, function.name == "exists",
      case .field(path) = arguments[0]
    else { return false }
    return true
  }
}

/// Finds the classic filter that holds for exactly the documents for which a condition is true.
struct FilterConverter {
  let scope: InputScope
  let variables: [String: Value?]

  private static let comparisons: [String: (Filter.FieldOperator, mirrored: Filter.FieldOperator)] =
    [
      "equal": (.equal, .equal),
      "less_than": (.lessThan, .greaterThan),
      "less_than_or_equal": (.lessThanOrEqual, .greaterThanOrEqual),
      "greater_than": (.greaterThan, .lessThan),
      "greater_than_or_equal": (.greaterThanOrEqual, .lessThanOrEqual),
    ]

  /// The filter; nil where there is none.
  func filter(_ expression: Expression) -> Filter? {
    guard case .call(let function, let arguments) = expression else { return nil }
    switch function.name {
    case "or":
      let parts = arguments.compactMap(filter)
      return parts.count == arguments.count ? .or(parts) : nil
    case "and":
      let parts = arguments.compactMap(filter)
      return parts.count == arguments.count ? .and(parts) : nil
    case "equal_any": return list(arguments, .in)
    case "array_contains_any": return list(arguments, .arrayContainsAny)
    case "array_contains":
      guard let (path, value) = operands(arguments[0], arguments[1]), !path.isDocumentName
      else { return nil }
      return .field(path, .arrayContains, value)
    default: break
    }
    guard let (direct, mirrored) = Self.comparisons[function.name] else { return nil }
    if let (path, value) = operands(arguments[0], arguments[1]) {
      return .field(path, direct, value)
    }
    guard let (path, value) = operands(arguments[1], arguments[0]) else { return nil }
    return .field(path, mirrored, value)
  }

  private func list(_ arguments: [Expression], _ operation: Filter.FieldOperator) -> Filter? {
    guard case .field(let path) = arguments[0], isQueried(path),
      case .array(let elements)? = constant(arguments[1]), !elements.isEmpty,
      elements.allSatisfy({ isComparable($0, path) }),
      operation == .in || !path.isDocumentName
    else { return nil }
    return .field(path, operation, .array(elements))
  }

  private func operands(_ left: Expression, _ right: Expression) -> (FieldPath, Value)? {
    guard case .field(let path) = left, isQueried(path), let value = constant(right),
      isComparable(value, path)
    else { return nil }
    return (path, value)
  }

  private func isQueried(_ path: FieldPath) -> Bool {
    path != .createTime && path != .updateTime
  }

  /// Null and NaN are filtered otherwise by classic queries; names must be in the query's scope.
  private func isComparable(_ value: Value, _ path: FieldPath) -> Bool {
    guard path.isDocumentName else { return !value.isNull && !value.isNaN }
    guard case .reference(let name) = value else { return false }
    return scope.holds(name.path)
  }

  private func constant(_ expression: Expression) -> Value? {
    switch expression {
    case .constant(let value): return value
    case .variable(let name): return variables[name] ?? nil
    case .array(let elements):
      let values = elements.compactMap(constant)
      return values.count == elements.count ? .array(values) : nil
    case .call(let function, let arguments) where function.name == "array":
      return constant(.array(arguments))
    default: return nil
    }
  }
}
