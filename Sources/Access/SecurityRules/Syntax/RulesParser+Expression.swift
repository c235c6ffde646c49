import BaseText

// Precedence, from loose to tight: `? :`, `||`, `&&`, `in`, `is`, `== !=`, `< <= > >=`, `+ -`,
// `* / %`, prefix `! -`, postfix. The documentation lists `in` and `is` above `==`; the compiler,
// whose behaviour is followed here, has them below.

extension RulesParser {
  /// A whole expression.
  mutating func expression() throws(RulesIssue) -> Expression {
    try deeper()
    defer { depth -= 1 }
    let condition = try binary(from: 0)
    guard tokens.takeSymbol("?") else { return condition }
    let first = try expression()
    try tokens.expectSymbol(":")
    let second = try expression()
    return make(.conditional(condition, first, second), from: condition.range.lowerBound)
  }

  /// Counts one more level of nesting; the caller takes it back.
  mutating func deeper() throws(RulesIssue) {
    depth += 1
    guard depth <= RulesLimits.nesting else {
      throw .error("Expression is too complex to evaluate safely.", at: tokens.current.range)
    }
  }

  private enum Infix {
    case binary(BinaryOperator)
    case typeTest
  }

  /// The operators of each level, loosest first.
  private static let levels: [[String]] = [
    ["||"], ["&&"], ["in"], ["is"], ["==", "!="], ["<", "<=", ">", ">="], ["+", "-"],
    ["*", "/", "%"],
  ]

  /// Operators of that level and tighter ones (precedence climbing).
  ///
  /// The operators behind a type may bind more tightly than `is`: `1 is int == true`.
  private mutating func binary(from minimum: Int) throws(RulesIssue) -> Expression {
    var left = try prefix()
    let outer = depth
    defer { depth = outer }
    while let (level, infix) = infix(), level >= minimum {
      // A chain leans left: its first operand lies one level deeper with every operator.
      try deeper()
      tokens.advance()
      switch infix {
      case .typeTest:
        let name = try typeName()
        left = make(.typeTest(left, name), from: left.range.lowerBound)
      case .binary(let kind):
        let right = try binary(from: level + 1)
        left = make(.binary(kind, left, right), from: left.range.lowerBound)
      }
    }
    return left
  }

  /// The operator that comes next, with its level.
  private func infix() -> (level: Int, infix: Infix)? {
    switch tokens.current.kind {
    case .symbol(let symbol), .word(let symbol):
      guard let level = Self.levels.firstIndex(where: { $0.contains(symbol) }) else { return nil }
      let infix = symbol == "is" ? .typeTest : BinaryOperator(rawValue: symbol).map(Infix.binary)
      return infix.map { (level, $0) }
    default: return nil
    }
  }

  private mutating func typeName() throws(RulesIssue) -> String {
    guard case .word(let name) = tokens.current.kind else { throw tokens.unexpected("a type") }
    tokens.advance()
    return name
  }

  private mutating func prefix() throws(RulesIssue) -> Expression {
    let start = tokens.current.range.lowerBound
    for kind in [UnaryOperator.not, .minus] where tokens.isSymbol(kind.rawValue) {
      try deeper()
      defer { depth -= 1 }
      tokens.advance()
      if kind == .minus, let literal = try negativeLiteral(from: start) { return literal }
      return make(.unary(kind, try prefix()), from: start)
    }
    return try postfix(try primary())
  }

  /// `-` before an integer is part of the literal, so that the least integer can be written.
  private mutating func negativeLiteral(from start: Int) throws(RulesIssue) -> Expression? {
    guard case .integer(let number) = tokens.current.kind, number == .min else { return nil }
    tokens.advance()
    return try postfix(make(.integer(number), from: start))
  }

  private mutating func postfix(_ operand: Expression) throws(RulesIssue) -> Expression {
    var value = operand
    let outer = depth
    defer { depth = outer }
    while true {
      if tokens.takeSymbol(".") {
        value = try member(of: value)
      } else if tokens.takeSymbol("[") {
        value = try subscripted(value)
      } else {
        return value
      }
      try deeper()
    }
  }

  private mutating func member(of object: Expression) throws(RulesIssue) -> Expression {
    guard case .word(let name) = tokens.current.kind else { throw tokens.unexpected("a name") }
    tokens.advance()
    let start = object.range.lowerBound
    guard tokens.takeSymbol("(") else {
      return make(.member(object, Text(name)), from: start)
    }
    let arguments = try list(until: ")")
    return make(.method(object, Text(name), arguments), from: start)
  }

  private mutating func subscripted(_ object: Expression) throws(RulesIssue) -> Expression {
    let start = object.range.lowerBound
    var lower: Expression?
    if !tokens.isSymbol(":") {
      let index = try expression()
      if tokens.takeSymbol("]") { return make(.index(object, index), from: start) }
      lower = index
    }
    try tokens.expectSymbol(":")
    let upper = tokens.isSymbol("]") ? nil : try expression()
    try tokens.expectSymbol("]")
    guard lower != nil || upper != nil else { throw tokens.unexpected("a bound") }
    return make(.slice(object, from: lower, to: upper), from: start)
  }

  /// Expressions separated by commas, one trailing comma allowed, with the closing symbol.
  private mutating func list(until end: String) throws(RulesIssue) -> [Expression] {
    var elements: [Expression] = []
    while true {
      if tokens.takeSymbol(end) { return elements }
      elements.append(try expression())
      if tokens.takeSymbol(",") { continue }
      try tokens.expectSymbol(end)
      return elements
    }
  }

  private mutating func primary() throws(RulesIssue) -> Expression {
    let token = tokens.current
    let start = token.range.lowerBound
    switch token.kind {
    case .integer(let number):
      guard number != .min else { throw .error("Invalid number literal.", at: token.range) }
      return try literal(.integer(number))
    case .float(let number): return try literal(.float(number))
    case .string(let text): return try literal(.string(text))
    case .bytes(let bytes): return try literal(.bytes(bytes))
    case .pathStart: return try pathLiteral()
    case .word(let word): return try wordExpression(word)
    case .symbol("("):
      tokens.advance()
      let inner = try expression()
      try tokens.expectSymbol(")")
      return make(.parenthesized(inner), from: start)
    case .symbol("["):
      tokens.advance()
      return make(.list(try list(until: "]")), from: start)
    case .symbol("{"):
      tokens.advance()
      return make(.map(try mapEntries()), from: start)
    case .symbol, .end, .invalid: throw tokens.unexpected("an expression")
    }
  }

  private mutating func literal(_ kind: Expression.Kind) throws(RulesIssue) -> Expression {
    let token = tokens.advance()
    return Expression(kind: kind, range: token.range)
  }

  private mutating func wordExpression(_ word: String) throws(RulesIssue) -> Expression {
    switch word {
    case "true": return try literal(.boolean(true))
    case "false": return try literal(.boolean(false))
    case "null": return try literal(.null)
    default:
      let name = try tokens.expectName("an expression")
      guard tokens.takeSymbol("(") else {
        return Expression(kind: .variable(Text(word)), range: name.range)
      }
      let arguments = try list(until: ")")
      return make(.call(Text(word), arguments), from: name.range.lowerBound)
    }
  }

  private mutating func mapEntries() throws(RulesIssue) -> [Expression.MapEntry] {
    var entries: [Expression.MapEntry] = []
    while true {
      if tokens.takeSymbol("}") { return entries }
      let key = try expression()
      try tokens.expectSymbol(":")
      entries.append(.init(key: key, value: try expression()))
      if tokens.takeSymbol(",") { continue }
      try tokens.expectSymbol("}")
      return entries
    }
  }

  /// The expression that ends at the parser's position.
  func make(_ kind: Expression.Kind, from start: Int) -> Expression {
    Expression(kind: kind, range: start..<tokens.lastEnd)
  }
}
