import FirestoreModel

/// A parsed ruleset: what was written, with its positions in the source.
package struct RulesFile: Sendable {
  /// `rules_version`; 1 where the source names none.
  package var version: Version
  /// Functions outside every service.
  package var functions: [FunctionDeclaration]
  package var services: [ServiceDeclaration]
  /// Whether the source names no version.
  package var isUnversioned = true

  /// The two versions of the language; they differ in recursive wildcards.
  package enum Version: Int, Sendable {
    case one = 1
    case two = 2
  }
}

/// `service cloud.firestore { … }`.
package struct ServiceDeclaration: Sendable {
  package let name: String
  package let functions: [FunctionDeclaration]
  package let matches: [MatchDeclaration]
  package let range: Range<Int>
}

/// `match /path/{capture} { … }`.
package struct MatchDeclaration: Sendable {
  package let pattern: [PatternSegment]
  package let allows: [AllowDeclaration]
  package let functions: [FunctionDeclaration]
  package let matches: [MatchDeclaration]
  package let range: Range<Int>
}

/// One segment of a match path.
package enum PatternSegment: Sendable, Hashable {
  case literal(Text)
  /// `{name}`: one segment.
  case capture(Text)
  /// `{name=**}`: the rest, or in version 2 any number of segments in between.
  case glob(Text)
}

/// `allow read, write: if condition;`.
package struct AllowDeclaration: Sendable {
  /// A method as written, with its position; unknown ones only warn.
  package struct Method: Sendable {
    package let name: String
    package let range: Range<Int>
  }

  package let methods: [Method]
  /// Nil is "always".
  package let condition: Expression?
  package let range: Range<Int>
}

/// `function name(parameters) { let …; return …; }`.
package struct FunctionDeclaration: Sendable {
  /// `let name = value;`.
  package struct Binding: Sendable {
    package let name: Text
    package let value: Expression
    package let range: Range<Int>
  }

  /// A parameter with its position.
  package struct Parameter: Sendable {
    package let name: Text
    package let range: Range<Int>
  }

  package let name: Text
  package let parameters: [Parameter]
  package let bindings: [Binding]
  package let result: Expression
  package let range: Range<Int>
}

/// An expression with its position in the source.
package struct Expression: Sendable {
  package let kind: Kind
  package let range: Range<Int>

  /// What an expression is.
  package indirect enum Kind: Sendable {
    case null
    case boolean(Bool)
    case integer(Int64)
    case float(Double)
    case string(Text)
    case bytes([UInt8])
    case list([Expression])
    case map([MapEntry])
    case path([PathPart])
    case variable(Text)
    /// `object.name`.
    case member(Expression, Text)
    case index(Expression, Expression)
    case slice(Expression, from: Expression?, to: Expression?)
    /// `name(arguments)`.
    case call(Text, [Expression])
    /// `object.name(arguments)`; also a package's function, `math.abs(x)`.
    case method(Expression, Text, [Expression])
    case unary(UnaryOperator, Expression)
    case binary(BinaryOperator, Expression, Expression)
    case conditional(Expression, Expression, Expression)
    /// `value is type`, the type as written.
    case typeTest(Expression, String)
    /// Parentheses are kept for the position of what they hold.
    case parenthesized(Expression)
  }

  /// One `key: value` of a map literal.
  package struct MapEntry: Sendable {
    package let key: Expression
    package let value: Expression
  }

  /// One segment of a path literal.
  package enum PathPart: Sendable {
    case literal(Text)
    /// `$(expression)`.
    case interpolation(Expression)
    /// `{name}`, to be bound by `bind()`.
    case capture(Text)
    /// `{name=**}`.
    case glob(Text)
  }
}

/// The prefix operators.
package enum UnaryOperator: String, Sendable {
  case not = "!"
  case minus = "-"
}

/// The infix operators; `is` is `typeTest`.
package enum BinaryOperator: String, Sendable {
  case or = "||"
  case and = "&&"
  case `in` = "in"
  case equal = "=="
  case notEqual = "!="
  case less = "<"
  case lessOrEqual = "<="
  case greater = ">"
  case greaterOrEqual = ">="
  case add = "+"
  case subtract = "-"
  case multiply = "*"
  case divide = "/"
  case remainder = "%"
}
