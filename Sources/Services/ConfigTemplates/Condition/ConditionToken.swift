/// A word of a condition's expression with the column where it begins.
struct ConditionToken: Sendable, Equatable {
  enum Kind: Sendable, Equatable {
    case word(String)
    case string(String)
    /// As it is spelled.
    case number(String)
    /// Punctuation or an operator.
    case symbol(String)
    case end

    /// The token as an error shows it.
    var description: String {
      switch self {
      case .word(let text), .number(let text): "\"\(text.prefix(40))\""
      case .string(let text): "'\(text.prefix(40))'"
      case .symbol(let text): "\"\(text)\""
      case .end: "the end"
      }
    }
  }

  let kind: Kind
  let column: Int

  /// The tokens of an expression, the last one its end.
  static func all(in expression: String) throws(ConditionError) -> [ConditionToken] {
    var scanner = ConditionScanner(expression)
    var tokens: [ConditionToken] = []
    while true {
      let token = try scanner.next()
      tokens.append(token)
      if token.kind == .end { return tokens }
    }
  }
}

/// Cuts an expression into tokens.
private struct ConditionScanner {
  private let scalars: [Unicode.Scalar]
  private var position = 0

  private static let pairs: Set<String> = ["&&", "||", "==", "!=", "<=", ">="]
  private static let symbols = Set("()[],.<>=!&|".unicodeScalars)

  init(_ expression: String) { scalars = Array(expression.unicodeScalars) }

  private var current: Unicode.Scalar? { position < scalars.count ? scalars[position] : nil }

  mutating func next() throws(ConditionError) -> ConditionToken {
    while let scalar = current, scalar.properties.isWhitespace { position += 1 }
    let column = position + 1
    guard let scalar = current else { return ConditionToken(kind: .end, column: column) }
    let kind: ConditionToken.Kind
    switch scalar {
    case "'", "\"": kind = .string(try string(quote: scalar))
    case "0"..."9", "-": kind = .number(try number())
    case "a"..."z", "A"..."Z", "_": kind = .word(word())
    case _ where Self.symbols.contains(scalar): kind = .symbol(symbol())
    default: throw ConditionError(column: column, "Unexpected character \"\(scalar)\".")
    }
    return ConditionToken(kind: kind, column: column)
  }

  private mutating func word() -> String {
    take { scalar in
      switch scalar {
      case "a"..."z", "A"..."Z", "0"..."9", "_": true
      default: false
      }
    }
  }

  private mutating func number() throws(ConditionError) -> String {
    let start = position
    let sign = current == "-" ? "-" : ""
    if !sign.isEmpty { position += 1 }
    let digits = take { ("0"..."9").contains($0) || $0 == "." }
    guard digits.contains(where: \.isNumber) else {
      throw ConditionError(column: start + 1, "A number has digits.")
    }
    return sign + digits
  }

  private mutating func symbol() -> String {
    let first = String(scalars[position])
    position += 1
    if let second = current, Self.pairs.contains(first + String(second)) {
      position += 1
      return first + String(second)
    }
    return first
  }

  /// A backslash takes a quote or a backslash as it is; before anything else it is itself, since
  /// patterns are full of them.
  private mutating func string(quote: Unicode.Scalar) throws(ConditionError) -> String {
    let start = position
    position += 1
    var text = String.UnicodeScalarView()
    while let scalar = current {
      position += 1
      if scalar == quote { return String(text) }
      if scalar == "\\", let next = current, next == quote || next == "\\" {
        text.append(next)
        position += 1
      } else {
        text.append(scalar)
      }
    }
    throw ConditionError(column: start + 1, "The string is not closed.")
  }

  private mutating func take(while condition: (Unicode.Scalar) -> Bool) -> String {
    let start = position
    while let scalar = current, condition(scalar) { position += 1 }
    var text = String.UnicodeScalarView()
    text.append(contentsOf: scalars[start..<position])
    return String(text)
  }
}
