import FirestoreModel

/// Parses a ruleset (grammar: fact sheet, section 3).
///
/// The first syntax error ends the parse: what follows it would only be guesses.
package struct RulesParser {
  var tokens: TokenStream
  /// How deeply expressions are nested at the moment.
  var depth = 0

  init(_ bytes: [UInt8]) throws(RulesIssue) {
    tokens = try TokenStream(bytes)
  }

  /// Parses a whole source.
  package static func parse(_ source: SourceText) throws(RulesIssue) -> RulesFile {
    var parser = try RulesParser(source.bytes)
    return try parser.file()
  }

  /// Parses a source that is one expression.
  package static func parseExpression(_ source: SourceText) throws(RulesIssue) -> Expression {
    var parser = try RulesParser(source.bytes)
    let expression = try parser.expression()
    guard parser.tokens.current.kind == .end else {
      throw parser.tokens.unexpected("the end of the expression")
    }
    return expression
  }

  private mutating func file() throws(RulesIssue) -> RulesFile {
    var file = RulesFile(version: .one, functions: [], services: [])
    if tokens.current.kind == .end {
      throw .error("Rules content empty. Compilation aborted.", at: tokens.current.range)
    }
    if let version = try versionStatement() {
      file.version = version
      file.isUnversioned = false
    }
    while tokens.current.kind != .end {
      if tokens.isWord("function") {
        file.functions.append(try function())
      } else if tokens.isWord("service") {
        file.services.append(try service())
      } else if tokens.isWord("import") {
        throw .error("Import statements are not allowed.", at: tokens.current.range)
      } else {
        throw tokens.unexpected("'service' or 'function'")
      }
    }
    return file
  }

  private mutating func versionStatement() throws(RulesIssue) -> RulesFile.Version? {
    guard try tokens.takeWord("rules_version") else { return nil }
    try tokens.expectSymbol("=")
    let token = tokens.current
    guard case .string(let text) = token.kind else { throw tokens.unexpected("a quoted version") }
    guard let version = Int(text.string).flatMap(RulesFile.Version.init(rawValue:)) else {
      throw .error("Unsupported rules version \(text.string).", at: token.range)
    }
    try tokens.advance()
    _ = try tokens.takeSymbol(";")
    return version
  }

  private mutating func service() throws(RulesIssue) -> ServiceDeclaration {
    let start = try tokens.advance().range.lowerBound
    let name = try serviceName()
    var functions: [FunctionDeclaration] = []
    var matches: [MatchDeclaration] = []
    try tokens.expectSymbol("{")
    while !tokens.isSymbol("}") {
      if tokens.isWord("function") {
        functions.append(try function())
      } else if tokens.isWord("match") {
        matches.append(try match(depth: 1))
      } else {
        throw tokens.unexpected("'match' or 'function'")
      }
    }
    let end = try tokens.advance().range.upperBound
    guard !functions.isEmpty || !matches.isEmpty else {
      throw .error(
        "The 'service' body must contain at least one declaration.",
        at: start..<end
      )
    }
    return ServiceDeclaration(
      name: name,
      functions: functions,
      matches: matches,
      range: start..<end
    )
  }

  private mutating func serviceName() throws(RulesIssue) -> String {
    var name = ""
    repeat {
      guard case .word(let part) = tokens.current.kind else {
        throw tokens.unexpected("a service's name")
      }
      name += name.isEmpty ? part : "." + part
      try tokens.advance()
    } while try tokens.takeSymbol(".")
    return name
  }

  /// The service's own matches have depth 1.
  private mutating func match(depth: Int) throws(RulesIssue) -> MatchDeclaration {
    let keyword = try tokens.advance()
    guard depth <= RulesLimits.matchDepth else {
      throw .error("Maximum allowed resource rule depth of 10 is reached.", at: keyword.range)
    }
    let pattern = try matchPattern()
    var body = MatchBody()
    try tokens.expectSymbol("{")
    while !tokens.isSymbol("}") { try matchMember(into: &body, depth: depth) }
    let end = try tokens.advance().range.upperBound
    let range = keyword.range.lowerBound..<end
    guard !body.isEmpty else {
      throw .error("The 'match' body must contain at least one declaration.", at: range)
    }
    return MatchDeclaration(
      pattern: pattern,
      allows: body.allows,
      functions: body.functions,
      matches: body.matches,
      range: range
    )
  }

  private struct MatchBody {
    var allows: [AllowDeclaration] = []
    var functions: [FunctionDeclaration] = []
    var matches: [MatchDeclaration] = []
    var isEmpty: Bool { allows.isEmpty && functions.isEmpty && matches.isEmpty }
  }

  private mutating func matchMember(
    into body: inout MatchBody,
    depth: Int
  ) throws(RulesIssue) {
    if tokens.isWord("allow") {
      body.allows.append(try allow())
    } else if tokens.isWord("function") {
      body.functions.append(try function())
    } else if tokens.isWord("match") {
      body.matches.append(try match(depth: depth + 1))
    } else if tokens.current.kind == .pathStart {
      throw .error("Missing 'match' keyword before path.", at: tokens.current.range)
    } else {
      throw tokens.unexpected("'allow', 'match' or 'function'")
    }
  }

  private mutating func allow() throws(RulesIssue) -> AllowDeclaration {
    let start = try tokens.advance().range.lowerBound
    var methods: [AllowDeclaration.Method] = []
    repeat {
      guard case .word(let name) = tokens.current.kind else {
        throw .error("Expected at least one 'operation' after 'allow'.", at: tokens.current.range)
      }
      methods.append(.init(name: name, range: tokens.current.range))
      try tokens.advance()
    } while try tokens.takeSymbol(",")
    let condition = try allowCondition()
    let end = tokens.lastEnd
    _ = try tokens.takeSymbol(";")
    return AllowDeclaration(methods: methods, condition: condition, range: start..<end)
  }

  private mutating func allowCondition() throws(RulesIssue) -> Expression? {
    if tokens.isWord("if") {
      throw .error("Missing ':' before 'if' condition.", at: tokens.current.range)
    }
    guard try tokens.takeSymbol(":") else { return nil }
    guard try tokens.takeWord("if") else {
      throw .error("Missing 'if' before conditional expression.", at: tokens.current.range)
    }
    if tokens.isSymbol(";") || tokens.isSymbol("}") {
      throw .error("Missing conditional expression after 'if'.", at: tokens.current.range)
    }
    return try expression()
  }

  private mutating func function() throws(RulesIssue) -> FunctionDeclaration {
    let start = try tokens.advance().range.lowerBound
    let name = try tokens.expectName("a function's name")
    let parameters = try functionParameters()
    guard tokens.isSymbol("{") else {
      throw .error("Missing 'function' body", at: tokens.current.range)
    }
    try tokens.advance()
    var bindings: [FunctionDeclaration.Binding] = []
    while tokens.isWord("let") { bindings.append(try binding()) }
    guard try tokens.takeWord("return") else { throw tokens.unexpected("'return'") }
    let result = try expression()
    _ = try tokens.takeSymbol(";")
    try tokens.expectSymbol("}")
    return FunctionDeclaration(
      name: text(of: name),
      parameters: parameters,
      bindings: bindings,
      result: result,
      range: start..<tokens.lastEnd
    )
  }

  private mutating func functionParameters() throws(RulesIssue) -> [FunctionDeclaration.Parameter] {
    var parameters: [FunctionDeclaration.Parameter] = []
    try tokens.expectSymbol("(")
    if try tokens.takeSymbol(")") { return [] }
    repeat {
      let name = try tokens.expectName("a parameter's name")
      parameters.append(.init(name: text(of: name), range: name.range))
    } while try tokens.takeSymbol(",")
    try tokens.expectSymbol(")")
    return parameters
  }

  private mutating func binding() throws(RulesIssue) -> FunctionDeclaration.Binding {
    let start = try tokens.advance().range.lowerBound
    let name = try tokens.expectName("a variable's name")
    try tokens.expectSymbol("=")
    let value = try expression()
    try tokens.expectSymbol(";")
    return .init(name: text(of: name), value: value, range: start..<tokens.lastEnd)
  }

  func text(of token: Token) -> Text {
    guard case .word(let word) = token.kind else { preconditionFailure("not a word") }
    return Text(word)
  }
}
