import BaseText

/// A parsed ruleset: what was written, with its positions in the source.
package struct RulesFile: Sendable {
  /// `rules_version`; 1 where the source names none.
  package var version: Version
  /// Functions outside every service.
  package var functions: [FunctionDeclaration]
  /// In the order of the source; names may repeat or be unknown until the compiler checks them.
  package var services: [ServiceDeclaration]
  /// True if the source names no version.
  package var isUnversioned = true

  /// The two versions of the language; they differ in recursive wildcards.
  package enum Version: Int, Sendable {
    case one = 1
    case two = 2
  }
}

/// `service cloud.firestore { … }`.
package struct ServiceDeclaration: Sendable {
  /// The name as written, such as `cloud.firestore` or `firebase.storage`.
  package let name: String
  /// Functions that are visible in the whole service.
  package let functions: [FunctionDeclaration]
  /// The outermost match blocks, in the order of the source.
  package let matches: [MatchDeclaration]
  /// The whole declaration, as offsets in the source's UTF-8.
  package let range: Range<Int>
}

/// `match /path/{capture} { … }`.
package struct MatchDeclaration: Sendable {
  /// The segments of this block's own path, without those of the blocks around it.
  package let pattern: [PatternSegment]
  /// The statements of this block, in the order of the source.
  package let allows: [AllowDeclaration]
  /// Functions that are visible in this block and those within it.
  package let functions: [FunctionDeclaration]
  /// The blocks within this one, whose paths continue its own.
  package let matches: [MatchDeclaration]
  /// The whole declaration, as offsets in the source's UTF-8.
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
    /// The method's name, such as `get` or `write`; it need not be one.
    package let name: String
    /// The name's offsets in the source's UTF-8.
    package let range: Range<Int>
  }

  /// The methods in the order of the source, at least one.
  package let methods: [Method]
  /// Nil is "always".
  package let condition: Expression?
  /// The statement from `allow` to its end, as offsets in the source's UTF-8.
  package let range: Range<Int>
}

/// `function name(parameters) { let …; return …; }`.
package struct FunctionDeclaration: Sendable {
  /// `let name = value;`.
  package struct Binding: Sendable {
    /// The variable that later bindings and the result may use.
    package let name: Text
    /// The expression, evaluated with the parameters and the earlier bindings.
    package let value: Expression
    /// The whole statement, as offsets in the source's UTF-8.
    package let range: Range<Int>
  }

  /// A parameter with its position.
  package struct Parameter: Sendable {
    /// The variable that holds the argument.
    package let name: Text
    /// The name's offsets in the source's UTF-8.
    package let range: Range<Int>
  }

  /// The name by which expressions call it.
  package let name: Text
  /// The parameters in the order of a call's arguments.
  package let parameters: [Parameter]
  /// The `let` statements, in the order of the source.
  package let bindings: [Binding]
  /// The expression behind `return`.
  package let result: Expression
  /// The whole declaration, as offsets in the source's UTF-8.
  package let range: Range<Int>
}

/// An expression with its position in the source.
package struct Expression: Sendable {
  /// The form of the expression, with its operands.
  package let kind: Kind
  /// Offsets in the source's UTF-8.
  package let range: Range<Int>

  /// The kind of an expression.
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
    /// An expression as well: keys are evaluated and must give texts.
    package let key: Expression
    /// The expression behind the colon.
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
