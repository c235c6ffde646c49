import FirestoreModel

/// The type of an expression that is sure without running it: literals and what operators make.
enum StaticType: String {
  case null
  case boolean = "bool"
  case int, float, string, bytes, list, map, path

  /// Nil where only running tells.
  init?(_ expression: Expression) {
    switch expression.kind {
    case .null: self = .null
    case .boolean, .typeTest: self = .boolean
    case .integer: self = .int
    case .float: self = .float
    case .string: self = .string
    case .bytes: self = .bytes
    case .list: self = .list
    case .map: self = .map
    case .path: self = .path
    case .parenthesized(let inner): self.init(inner)
    case .unary(.not, _): self = .boolean
    case .binary(let kind, _, _) where kind.isPredicate: self = .boolean
    default: return nil
    }
  }

  /// Whether `==` between the types can be true.
  func isComparable(with other: StaticType) -> Bool {
    self == other || isNumber && other.isNumber || self == .null || other == .null
  }

  private var isNumber: Bool { self == .int || self == .float }

  func allows(_ operator: UnaryOperator) -> Bool {
    `operator` == .not ? self == .boolean : isNumber
  }

  /// What the operator takes instead; nil where this type is fine.
  func expected(by operator: BinaryOperator, isRight: Bool) -> String? {
    switch `operator` {
    case .and, .or: self == .boolean ? nil : "bool"
    case .in: !isRight || self == .list || self == .map ? nil : "list, map, set"
    case .less, .lessOrEqual, .greater, .greaterOrEqual:
      isNumber || self == .string || self == .bytes
        ? nil : "int, float, string, bytes, duration, timestamp"
    case .add: isNumber || self == .string ? nil : "int, float, string, duration, timestamp"
    case .subtract: isNumber ? nil : "int, float, duration, timestamp"
    case .multiply, .divide, .remainder: isNumber ? nil : "int, float"
    case .equal, .notEqual: nil
    }
  }
}

extension BinaryOperator {
  /// Whether the result is a truth value.
  var isPredicate: Bool {
    switch self {
    case .or, .and, .in, .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual: true
    case .add, .subtract, .multiply, .divide, .remainder: false
    }
  }
}

extension Expression {
  /// Every variable that the expression names.
  func collectVariables(into names: inout Set<Text>) {
    if case .variable(let name) = kind { names.insert(name) }
    for child in children { child.collectVariables(into: &names) }
  }

  private var children: [Expression] {
    switch kind {
    case .null, .boolean, .integer, .float, .string, .bytes, .variable: []
    case .list(let elements), .call(_, let elements): elements
    case .map(let entries): entries.flatMap { [$0.key, $0.value] }
    case .path(let parts):
      parts.compactMap { if case .interpolation(let inner) = $0 { inner } else { nil } }
    case .member(let inner, _), .unary(_, let inner), .typeTest(let inner, _),
      .parenthesized(let inner):
      [inner]
    case .index(let first, let second), .binary(_, let first, let second): [first, second]
    case .slice(let object, let from, let to): [object] + [from, to].compactMap { $0 }
    case .method(let object, _, let arguments): [object] + arguments
    case .conditional(let condition, let first, let second): [condition, first, second]
    }
  }
}
