import BaseText
import FirestoreModel

extension Evaluator {
  func binary(
    _ kind: BinaryOperator,
    _ left: RulesValue,
    _ right: RulesValue,
    _ node: Node
  ) throws(RulesFault) -> RulesValue {
    switch kind {
    case .equal, .notEqual:
      let isEqual = try equality(kind, left, right, node)
      return .boolean(isEqual == (kind == .equal))
    case .less, .lessOrEqual, .greater, .greaterOrEqual:
      return .boolean(try ordered(kind, left, right, node))
    case .in: return .boolean(try contains(right, left, node))
    case .add, .subtract: return try sum(kind, left, right, node)
    case .multiply, .divide, .remainder: return try arithmetic(kind, left, right, node)
    case .and, .or: preconditionFailure("logical operators have their own nodes")
    }
  }

  /// Emulator-compatible values may hold what a query promises of a field: sets and `diff()` do not
  /// take such, while `==` compares the promises.
  func checkDistinct(_ values: [RulesValue], _ node: Node) throws(RulesFault) {
    guard session.compatibility == .emulator else { return }
    if values.contains(where: \.holdsConstraint) { throw undetermined(node) }
  }

  private func equality(
    _ kind: BinaryOperator,
    _ left: RulesValue,
    _ right: RulesValue,
    _ node: Node
  ) throws(RulesFault) -> Bool {
    if case .constraint(let constraint) = left {
      return try isImplied(constraint, kind, right, node) ? kind == .equal : kind != .equal
    }
    if case .constraint(let constraint) = right {
      return try isImplied(constraint, kind, left, node) ? kind == .equal : kind != .equal
    }
    guard left.isSymbolic || right.isSymbolic else {
      return try compare(node) { $0.isEqual(left, right) }
    }
    // An open map is a map, and an unknown path is a path, with any contents.
    switch (left, right) {
    case (.map, .map), (.path, .path): throw undetermined(node)
    default: return false
    }
  }

  /// True, or unknown: a query's promise never makes a comparison false.
  private func isImplied(
    _ constraint: FieldConstraint,
    _ kind: BinaryOperator,
    _ constant: RulesValue,
    _ node: Node
  ) throws(RulesFault) -> Bool {
    if case .constraint = constant { throw typeFault(constant, "constant", node) }
    guard constraint.implies(kind, constant) else {
      throw fault("The query's constraint does not imply the comparison.", node)
    }
    return true
  }

  private func ordered(
    _ kind: BinaryOperator,
    _ left: RulesValue,
    _ right: RulesValue,
    _ node: Node
  ) throws(RulesFault) -> Bool {
    if case .constraint(let constraint) = left {
      guard right.isOrdered else { throw typeFault(right, "number,string,bytes,timestamp", node) }
      return try isImplied(constraint, kind, right, node)
    }
    if case .constraint(let constraint) = right {
      guard left.isOrdered else { throw typeFault(left, "number,string,bytes,timestamp", node) }
      return try isImplied(constraint, kind.mirrored, left, node)
    }
    switch (left, right) {
    case (.string(let first), .string(let second)):
      try spend(bytes: min(first.byteCount, second.byteCount), node)
    case (.bytes(let first), .bytes(let second)):
      try spend(bytes: min(first.count, second.count), node)
    default: break
    }
    return try orderedValues(kind, left, right, node)
  }

  private func orderedValues(
    _ kind: BinaryOperator,
    _ left: RulesValue,
    _ right: RulesValue,
    _ node: Node
  ) throws(RulesFault) -> Bool {
    switch (left, right) {
    case (.integer(let first), .integer(let second)): return kind.holds(first, second)
    case (.integer(let first), .float(let second)): return kind.holds(Double(first), second)
    case (.float(let first), .integer(let second)): return kind.holds(first, Double(second))
    case (.float(let first), .float(let second)): return kind.holds(first, second)
    case (.string(let first), .string(let second)): return kind.holds(first, second)
    case (.timestamp(let first), .timestamp(let second)): return kind.holds(first, second)
    case (.duration(let first), .duration(let second)): return kind.holds(first, second)
    case (.bytes(let first), .bytes(let second)):
      let order = first.withUnsafeBytes { one in
        second.withUnsafeBytes { compareBytes(one, $0) }
      }
      return kind.holds(order.rawValue, Ordering.equal.rawValue)
    case (.bson(.decimal), _), (_, .bson(.decimal)):
      guard let first = left.exactNumber, let second = right.exactNumber else {
        throw typeFault(left.exactNumber == nil ? left : right, "int,float", node)
      }
      return kind.holds(first.compare(second).rawValue, Ordering.equal.rawValue)
    default:
      let wrong = left.isOrdered ? right : left
      throw typeFault(wrong, "int,float,string,bytes,duration,timestamp", node)
    }
  }

  private func contains(
    _ container: RulesValue,
    _ element: RulesValue,
    _ node: Node
  ) throws(RulesFault) -> Bool {
    if case .constraint(let constraint) = container, !element.isSymbolic {
      guard constraint.contains(element) else { throw undetermined(node) }
      return true
    }
    if case .constraint(let constraint) = element, case .list(let elements) = container {
      try spend(elements.count * constraint.tests.count, node)
      guard constraint.isNone(of: elements) else { throw undetermined(node) }
      return false
    }
    if element.isSymbolic { throw undetermined(node) }
    switch (container, element) {
    case (.list(let elements), _):
      return try compare(node) { comparison in
        elements.contains { comparison.isIdentical($0, element) }
      }
    case (.set(let set), _):
      try checkDistinct([element], node)
      try spend(walking: [element], times: RulesSet.elementSteps, node)
      return set.contains(element)
    case (.map(let map), .string(let key)):
      let value = map[key]
      try spend(map.lookupSteps(key, value), node)
      if value != nil { return true }
      if map.isOpen { throw undetermined(node) }
      return false
    case (.map, _): throw typeFault(element, "string", node)
    default:
      throw fault(
        "Function not found error: Name: [in]. Received: [\(container.typeName)].",
        node
      )
    }
  }

  private func sum(
    _ kind: BinaryOperator,
    _ left: RulesValue,
    _ right: RulesValue,
    _ node: Node
  ) throws(RulesFault) -> RulesValue {
    let isSum = kind == .add
    switch (left, right) {
    case (.string(let first), .string(let second)) where isSum:
      try checkSize(first.byteCount + second.byteCount, "text", node)
      try spend((first.byteCount + second.byteCount) / 4, node)
      return .string(Text(first.string + second.string))
    case (.duration(let first), .duration(let second)):
      let change = isSum ? second.totalNanos : -second.totalNanos
      return try duration(first.totalNanos + change, node)
    case (.timestamp(let instant), .duration(let span)):
      let change = isSum ? span.totalNanos : -span.totalNanos
      return try timestamp(instant.totalNanos + change, node)
    case (.duration(let span), .timestamp(let instant)) where isSum:
      return try timestamp(instant.totalNanos + span.totalNanos, node)
    case (.timestamp(let first), .timestamp(let second)) where !isSum:
      return try duration(first.totalNanos - second.totalNanos, node)
    default: return try arithmetic(kind, left, right, node)
    }
  }

  func duration(_ nanos: Int128, _ node: Node) throws(RulesFault) -> RulesValue {
    guard let duration = RulesDuration(totalNanos: nanos) else {
      throw fault("Duration is out of range.", node)
    }
    return .duration(duration)
  }

  func timestamp(_ nanos: Int128, _ node: Node) throws(RulesFault) -> RulesValue {
    guard let instant = RulesTimestamp(totalNanos: nanos) else {
      throw fault("Timestamp is out of range.", node)
    }
    return .timestamp(instant)
  }

  private func arithmetic(
    _ kind: BinaryOperator,
    _ left: RulesValue,
    _ right: RulesValue,
    _ node: Node
  ) throws(RulesFault) -> RulesValue {
    switch (left, right) {
    case (.integer(let first), .integer(let second)):
      return .integer(try whole(kind, first, second, node))
    case (.integer(let first), .float(let second)):
      return .float(Self.fractional(kind, Double(first), second))
    case (.float(let first), .integer(let second)):
      return .float(Self.fractional(kind, first, Double(second)))
    case (.float(let first), .float(let second)):
      return .float(Self.fractional(kind, first, second))
    case (.integer, _), (.float, _): throw typeFault(right, "int,float", node)
    default: throw typeFault(left, "int,float", node)
    }
  }

  private func whole(
    _ kind: BinaryOperator,
    _ left: Int64,
    _ right: Int64,
    _ node: Node
  ) throws(RulesFault) -> Int64 {
    if kind == .divide || kind == .remainder, right == 0 { throw fault("Divide by zero", node) }
    let (value, overflow) =
      switch kind {
      case .add: left.addingReportingOverflow(right)
      case .subtract: left.subtractingReportingOverflow(right)
      case .multiply: left.multipliedReportingOverflow(by: right)
      case .divide: left.dividedReportingOverflow(by: right)
      default: right == -1 ? (0, false) : left.remainderReportingOverflow(dividingBy: right)
      }
    guard !overflow else { throw fault("Integer overflow.", node) }
    return value
  }

  private static func fractional(_ kind: BinaryOperator, _ left: Double, _ right: Double) -> Double
  {
    switch kind {
    case .add: left + right
    case .subtract: left - right
    case .multiply: left * right
    case .divide: left / right
    default: left.truncatingRemainder(dividingBy: right)
    }
  }

  func negated(_ value: RulesValue, _ node: Node) throws(RulesFault) -> RulesValue {
    switch value {
    case .integer(let number):
      guard number != .min else { throw fault("Integer overflow.", node) }
      return .integer(-number)
    case .float(let number): return .float(-number)
    case .duration(let span): return try duration(-span.totalNanos, node)
    default: throw typeFault(value, "int,float,duration", node)
    }
  }
}

extension RulesValue {
  fileprivate var isOrdered: Bool {
    switch self {
    case .integer, .float, .string, .bytes, .timestamp, .duration: true
    default: false
    }
  }
}

extension BinaryOperator {
  fileprivate func holds<T: Comparable>(_ left: T, _ right: T) -> Bool {
    switch self {
    case .less: left < right
    case .lessOrEqual: left <= right
    case .greater: left > right
    default: left >= right
    }
  }

  /// The operator with its sides exchanged.
  fileprivate var mirrored: BinaryOperator {
    switch self {
    case .less: .greater
    case .lessOrEqual: .greaterOrEqual
    case .greater: .less
    case .greaterOrEqual: .lessOrEqual
    default: self
    }
  }
}
