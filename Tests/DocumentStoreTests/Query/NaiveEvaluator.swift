import BaseText
import FirestoreModel

/// The meaning of a query, taken from the description and computed the slow way: it shares with the
/// store only the comparison of values.
struct NaiveEvaluator {
  let query: Query
  let database: DatabaseID

  func results(of documents: [ResourcePath: MapValue]) -> [ResourcePath] {
    var found = documents.filter { isInScope($0.key) && passes(query.filter, $0.key, $0.value) }
      .filter { entry in required.allSatisfy { value($0, entry.key, entry.value) != nil } }
      .map { (path: $0.key, keys: keys($0.key, $0.value)) }
    found.sort { isBefore($0.keys, $1.keys) }
    let window = found.filter { isBehindStart($0.keys) && isBeforeEnd($0.keys) }
      .dropFirst(query.offset)
    return window.prefix(query.limit ?? .max).map(\.path)
  }

  private func isInScope(_ path: ResourcePath) -> Bool {
    let above = query.parent.segments
    guard path.segments.count > above.count, Array(path.segments.prefix(above.count)) == above
    else { return false }
    let below = path.segments.count - above.count
    let collection = path.segments[path.segments.count - 2]
    switch query.scope {
    case .collection(let id): return below == 2 && collection == id
    case .collectionGroup(let id): return collection == id
    case .children: return below == 2
    case .descendants: return true
    }
  }

  private func value(_ field: FieldPath, _ path: ResourcePath, _ fields: MapValue) -> Value? {
    if field.segments == ["__name__"] {
      return .reference(DocumentName(database: database, path: path))
    }
    var current = Value.map(fields)
    for name in field.segments {
      guard case .map(let map) = current, let next = map[name] else { return nil }
      current = next
    }
    return current
  }

  private func same(_ left: Value, _ right: Value) -> Bool { left.compare(right) == .equal }

  private func isNull(_ value: Value) -> Bool { if case .null = value { true } else { false } }

  private func isNaN(_ value: Value) -> Bool {
    switch value {
    case .double(let number): number.isNaN
    case .bson(.decimal(let number)): number.kind == .notANumber
    default: false
    }
  }

  private func equals(_ value: Value, _ operand: Value) -> Bool {
    !isNull(operand) && !isNaN(operand) && same(value, operand)
  }

  private func passes(_ filter: Filter?, _ path: ResourcePath, _ fields: MapValue) -> Bool {
    switch filter {
    case nil: return true
    case .and(let parts): return parts.allSatisfy { passes($0, path, fields) }
    case .or(let parts):
      let real = parts.filter { !isEmptyComposite($0) }
      return real.isEmpty || real.contains { passes($0, path, fields) }
    case .unary(let field, let operation):
      guard let value = value(field, path, fields) else { return false }
      switch operation {
      case .isNull: return isNull(value)
      case .isNaN: return isNaN(value)
      case .isNotNull: return !isNull(value)
      case .isNotNaN: return !isNull(value) && !isNaN(value)
      }
    case .field(let field, let operation, let operand):
      guard let value = value(field, path, fields) else { return false }
      return passes(value, operation, operand)
    }
  }

  private func isEmptyComposite(_ filter: Filter) -> Bool {
    switch filter {
    case .and(let parts), .or(let parts): parts.allSatisfy(isEmptyComposite)
    default: false
    }
  }

  private func passes(
    _ value: Value,
    _ operation: Filter.FieldOperator,
    _ operand: Value
  ) -> Bool {
    let isComparable = value.typeOrder == operand.typeOrder && !isNull(operand) && !isNaN(operand)
    switch operation {
    case .equal: return equals(value, operand)
    case .lessThan: return isComparable && value.compare(operand) == .ascending
    case .lessThanOrEqual: return isComparable && value.compare(operand) != .descending
    case .greaterThan: return isComparable && value.compare(operand) == .descending
    case .greaterThanOrEqual: return isComparable && value.compare(operand) != .ascending
    case .notEqual: return !isNull(value) && !same(value, operand)
    case .in: return elements(operand).contains { equals(value, $0) }
    case .notIn:
      return !isNull(value) && !elements(operand).contains { isNull($0) || same(value, $0) }
    case .arrayContains: return contains(value, operand)
    case .arrayContainsAny: return elements(operand).contains { contains(value, $0) }
    }
  }

  private func contains(_ value: Value, _ operand: Value) -> Bool {
    if case .array = operand { return false }
    return elements(value).contains { equals($0, operand) }
  }

  private func elements(_ value: Value) -> [Value] {
    if case .array(let elements) = value { elements } else { [] }
  }

  // Orders.

  private var leaves: [(field: FieldPath, isInequality: Bool)] {
    func walk(_ filter: Filter?) -> [(field: FieldPath, isInequality: Bool)] {
      switch filter {
      case nil: return []
      case .and(let parts), .or(let parts): return parts.flatMap(walk)
      case .unary(let field, let operation):
        return [(field, operation == .isNotNaN || operation == .isNotNull)]
      case .field(let field, let operation, _):
        let points: [Filter.FieldOperator] = [.equal, .in, .arrayContains, .arrayContainsAny]
        return [(field, !points.contains(operation))]
      }
    }
    return walk(query.filter)
  }

  private var inequalities: [FieldPath] {
    Set(leaves.filter { $0.isInequality && $0.field.segments != ["__name__"] }.map(\.field))
      .sorted { $0.segments.lexicographicallyPrecedes($1.segments) }
  }

  private var orders: [Order] {
    var result = query.orders
    let direction = result.last?.direction ?? .ascending
    if result.contains(where: { $0.field.segments == ["__name__"] }) { return result }
    for field in inequalities where !result.contains(where: { $0.field == field }) {
      result.append(Order(field, direction))
    }
    return result + [Order(FieldPath(["__name__"]), direction)]
  }

  private var required: [FieldPath] { orders.map(\.field) + inequalities }

  private func keys(_ path: ResourcePath, _ fields: MapValue) -> [Value] {
    orders.compactMap { value($0.field, path, fields) }
  }

  private func compare(_ left: [Value], _ right: [Value]) -> Ordering {
    for (order, pair) in zip(orders, zip(left, right)) {
      let result = pair.0.compare(pair.1)
      if result != .equal { return order.direction == .ascending ? result : result.reversed }
    }
    return .equal
  }

  private func isBefore(_ left: [Value], _ right: [Value]) -> Bool {
    compare(left, right) == .ascending
  }

  private func isBehindStart(_ keys: [Value]) -> Bool {
    guard let start = query.start else { return true }
    let result = compare(keys, start.values)
    return start.before ? result != .ascending : result == .descending
  }

  private func isBeforeEnd(_ keys: [Value]) -> Bool {
    guard let end = query.end else { return true }
    let result = compare(keys, end.values)
    return end.before ? result == .ascending : result != .descending
  }
}
