import BaseText

extension RulesCompiler {
  /// The expression with its names resolved.
  mutating func node(_ expression: Expression) -> Node {
    Node(operation(expression), at: expression.range)
  }

  private mutating func nodes(_ expressions: [Expression]) -> [Node] {
    expressions.map { node($0) }
  }

  private mutating func operation(_ expression: Expression) -> Node.Operation {
    switch expression.kind {
    case .null: .constant(.null)
    case .boolean(let flag): .constant(.boolean(flag))
    case .integer(let number): .constant(.integer(number))
    case .float(let number): .constant(.float(number))
    case .string(let text): .constant(.string(text))
    case .bytes(let bytes): .constant(.bytes(bytes))
    case .list(let elements): .list(nodes(elements))
    case .map(let entries): .map(entries.map { entry($0) })
    case .path(let parts): .path(parts.map { part($0) })
    case .variable(let name): variable(name, expression.range)
    case .member(let object, let name): member(object, name)
    case .index(let object, let index): self.index(object, index)
    case .slice(let object, let from, let to):
      .slice(node(object), from.map { node($0) }, to.map { node($0) })
    case .call(let name, let arguments): call(name, arguments, expression.range)
    case .method(let object, let name, let arguments):
      method(object, name, arguments, expression.range)
    case .unary(let kind, let operand): unary(kind, operand, expression.range)
    case .binary(let kind, let left, let right): binary(kind, left, right, expression.range)
    case .conditional(let condition, let first, let second):
      conditional(condition, first, second, expression.range)
    case .typeTest(let operand, let name): typeTest(operand, name, expression.range)
    case .parenthesized(let inner): operation(inner)
    }
  }

  private mutating func entry(_ entry: Expression.MapEntry) -> Node.Entry {
    expect(.string, entry.key)
    return Node.Entry(key: node(entry.key), value: node(entry.value))
  }

  private mutating func member(_ object: Expression, _ name: Text) -> Node.Operation {
    expect(.map, object)
    return .member(node(object), name)
  }

  private mutating func index(_ object: Expression, _ index: Expression) -> Node.Operation {
    expect(.indexed, object)
    return .index(node(object), node(index))
  }

  private mutating func conditional(
    _ condition: Expression,
    _ first: Expression,
    _ second: Expression,
    _ range: Range<Int>
  ) -> Node.Operation {
    checkTernary(condition, first, second, range)
    return .conditional(node(condition), node(first), node(second))
  }

  private mutating func part(_ part: Expression.PathPart) -> Node.PathPart {
    switch part {
    case .literal(let text): .segment(.text(text))
    case .capture(let name): .segment(.capture(name))
    case .glob(let name): .segment(.glob(name))
    case .interpolation(let inner): interpolation(inner)
    }
  }

  private mutating func interpolation(_ inner: Expression) -> Node.PathPart {
    expect(.segment, inner)
    return .interpolation(node(inner))
  }

  private mutating func variable(_ name: Text, _ range: Range<Int>) -> Node.Operation {
    if let operation = scope.variable(name) { return operation }
    if isPackage(name) {
      checkVariable(name, range)
      return .fault("Variable not found: [\(name.string)].")
    }
    warn("Invalid variable name: \(name.string).", range)
    return .fault("Variable not found: [\(name.string)].")
  }

  private mutating func call(
    _ name: Text,
    _ arguments: [Expression],
    _ range: Range<Int>
  ) -> Node.Operation {
    if let function = scope.function(name) {
      calls.call(function.index, from: caller)
      let nodes = nodes(arguments)
      guard nodes.count == function.parameters else { return wrongCount(name.string, range) }
      return .call(function.index, nodes)
    }
    return builtin(name.string, arguments, range)
  }

  private mutating func builtin(
    _ name: String,
    _ arguments: [Expression],
    _ range: Range<Int>
  ) -> Node.Operation {
    let nodes = nodes(arguments)
    guard let builtin = Builtin(rawValue: name), builtin.isKnown(in: scope.service) else {
      return unknownFunction(name, range)
    }
    guard nodes.count == builtin.arity else {
      let fault = wrongCount(name, range)
      // The official evaluator takes the first and leaves the others.
      return builtin == .debug && !nodes.isEmpty ? .builtin(builtin, nodes) : fault
    }
    return .builtin(builtin, nodes)
  }

  private mutating func method(
    _ object: Expression,
    _ name: Text,
    _ arguments: [Expression],
    _ range: Range<Int>
  ) -> Node.Operation {
    if case .variable(let package) = object.kind, Builtin.packages.contains(package.string),
      scope.variable(package) == nil
    {
      return builtin("\(package.string).\(name.string)", arguments, range)
    }
    let receiver = node(object)
    let nodes = nodes(arguments)
    guard let method = Method(rawValue: name.string) else {
      return unknownFunction(name.string, range)
    }
    guard nodes.count == method.arity else { return wrongCount(name.string, range) }
    return pattern(receiver, method, nodes) ?? .method(receiver, method, nodes)
  }

  /// Regular expressions that are literals are compiled with the ruleset.
  private mutating func pattern(
    _ receiver: Node,
    _ method: Method,
    _ arguments: [Node]
  ) -> Node.Operation? {
    guard method == .matches || method == .replace || method == .split,
      let first = arguments.first, case .constant(.string(let text)) = first.operation
    else { return nil }
    do throws(RegexError) {
      return .regex(receiver, method, try Regex(text.string), arguments)
    } catch {
      fail("Invalid regular expression pattern. \(error.message)", first.range)
      return .fault("Invalid regular expression pattern.")
    }
  }

  private mutating func unknownFunction(_ name: String, _ range: Range<Int>) -> Node.Operation {
    warn("Invalid function name: \(name).", range)
    return .fault("Function not found error: Name: [\(name)].")
  }

  private mutating func wrongCount(_ name: String, _ range: Range<Int>) -> Node.Operation {
    warn("Incorrect number of arguments supplied to function: \(name).", range)
    return .fault("Incorrect number of arguments supplied to function: \(name).")
  }

  private mutating func unary(
    _ kind: UnaryOperator,
    _ operand: Expression,
    _ range: Range<Int>
  ) -> Node.Operation {
    checkTypes(kind, operand, range)
    let inner = node(operand)
    return kind == .not ? .not(inner) : .negate(inner)
  }

  private mutating func binary(
    _ kind: BinaryOperator,
    _ left: Expression,
    _ right: Expression,
    _ range: Range<Int>
  ) -> Node.Operation {
    checkTypes(kind, left, right, range)
    let first = node(left)
    let second = node(right)
    return switch kind {
    case .and: .and(first, second)
    case .or: .or(first, second)
    default: .binary(kind, first, second)
    }
  }

  private mutating func typeTest(
    _ operand: Expression,
    _ name: String,
    _ range: Range<Int>
  ) -> Node.Operation {
    let inner = node(operand)
    guard let type = RulesType(rawValue: name) else {
      let known = RulesType.allCases.map(\.rawValue).joined(separator: ",")
      fail(
        "An unsupported type identifier was used with the 'is' operator. Received \(name). "
          + "Expected one of \(known)",
        range
      )
      return .fault("Invalid type name: \(name).")
    }
    return .typeTest(inner, type)
  }
}
