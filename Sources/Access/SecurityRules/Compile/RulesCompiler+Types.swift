import BaseText

// The static knowledge about types; none of it is an error.

extension RulesCompiler {
  /// The types of an expression; nil if only an evaluation can decide.
  func type(of expression: Expression) -> StaticType? {
    switch expression.kind {
    case .null: .null
    case .boolean, .typeTest, .unary(.not, _): .boolean
    case .integer: .int
    case .float: .float
    case .string: .string
    case .bytes: .bytes
    case .list: .list
    case .map: .map
    case .path: .path
    case .slice: .sliced
    case .parenthesized(let inner): type(of: inner)
    case .unary(.minus, _): .negatable
    case .binary(let kind, _, _): kind.resultType
    case .variable(let name): isCapture(name) ? .capture : nil
    case .call(let name, _): scope.function(name) == nil ? builtinType(name.string) : nil
    case .method(let object, let name, _): type(ofMethod: name.string, of: object)
    case .member, .index, .conditional: nil
    }
  }

  private func isCapture(_ name: Text) -> Bool {
    if case .capture = scope.variable(name) { true } else { false }
  }

  private func builtinType(_ name: String) -> StaticType? {
    Builtin(rawValue: name).flatMap(\.resultType)
  }

  private func type(ofMethod name: String, of object: Expression) -> StaticType? {
    if case .variable(let package) = object.kind, Builtin.packages.contains(package.string),
      scope.variable(package) == nil
    {
      return builtinType("\(package.string).\(name)")
    }
    return Method(rawValue: name).flatMap(\.resultType)
  }

  /// Warns of an expression that cannot have the expected type.
  mutating func expect(_ expected: StaticType, _ expression: Expression) {
    guard let type = type(of: expression), !type.meets(expected) else { return }
    warn(
      "Invalid type. Received one of [\(type.text)]. Expected one of [\(expected.text)].",
      expression.range
    )
  }

  /// Warns of a condition that cannot be true.
  mutating func checkPermission(_ expression: Expression) {
    if case .conditional(_, let first, let second) = expression.withoutParentheses.kind {
      expect(.boolean, first)
      expect(.boolean, second)
      refused = expression.withoutParentheses.range
      return
    }
    guard let type = type(of: expression), !type.meets(.boolean) else { return }
    warn(
      "Invalid type. Permission statements expect a boolean value. Received one of [\(type.text)].",
      expression.range
    )
    refused = expression.withoutParentheses.range
  }

  mutating func checkTypes(
    _ kind: BinaryOperator,
    _ left: Expression,
    _ right: Expression,
    _ range: Range<Int>
  ) {
    if kind == .equal || kind == .notEqual {
      guard let first = type(of: left), let second = type(of: right),
        !first.isComparable(with: second)
      else { return }
      warn(
        "The sub-expressions are not comparable, so this comparison will always return "
          + "\(kind == .notEqual).",
        range
      )
    } else if kind == .in {
      expect(.container, right)
    } else if let expected = kind.operandType, range != refused {
      expect(expected, left)
      expect(expected, right)
    }
  }

  mutating func checkTypes(_ kind: UnaryOperator, _ operand: Expression, _ range: Range<Int>) {
    guard range != refused else { return }
    expect(kind == .not ? .boolean : .negatable, operand)
  }

  /// The two outcomes of a ternary are to be of one type.
  mutating func checkTernary(
    _ condition: Expression,
    _ first: Expression,
    _ second: Expression,
    _ range: Range<Int>
  ) {
    expect(.boolean, condition)
    guard range != refused, let left = type(of: first), let right = type(of: second),
      !left.meets(right)
    else { return }
    warn(
      "Ternary operator result if condition is true has a different type than if condition is "
        + "false.",
      range
    )
  }
}

extension Expression {
  fileprivate var withoutParentheses: Expression {
    if case .parenthesized(let inner) = kind { inner.withoutParentheses } else { self }
  }
}
