import BaseText

/// Parses a ruleset (grammar: fact sheet, section 3).
///
/// An error costs its statement: the parser continues behind it, and returns the readable part
/// together with all errors.
package struct RulesParser {
  var tokens: TokenStream
  /// The errors of the statements that were given up.
  var issues: [RulesIssue] = []
  /// The depth of nesting of the current expression.
  var depth = 0

  init(_ bytes: [UInt8]) {
    tokens = TokenStream(bytes)
  }

  /// Parses a whole source; without issues, the file is all of it.
  package static func parse(_ source: SourceText) -> (file: RulesFile, issues: [RulesIssue]) {
    var parser = RulesParser(source.bytes)
    let file = parser.file()
    return (file, parser.issues)
  }

  private mutating func file() -> RulesFile {
    var file = RulesFile(version: .one, functions: [], services: [])
    if tokens.current.kind == .end {
      note(.error("Rules content empty. Compilation aborted.", at: tokens.current.range))
    }
    let words: Set<String> = ["function", "service"]
    if tokens.isWord("rules_version") {
      // The intended version is not guessed; the newest knows the most.
      file.version = .two
      file.isUnversioned = false
      statement(
        { (parser) throws(RulesIssue) in file.version = try parser.versionStatement() },
        stoppingAt: words
      )
    }
    while tokens.current.kind != .end {
      statement(
        { (parser) throws(RulesIssue) in try parser.declaration(into: &file) },
        stoppingAt: words
      )
    }
    return file
  }

  private mutating func declaration(into file: inout RulesFile) throws(RulesIssue) {
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

  /// A block's statements and braces; gives where it ends.
  ///
  /// An empty block is an error, unless its statements had some.
  private mutating func block(
    of owner: String,
    from start: Int,
    expecting expected: String,
    _ member: (inout RulesParser) throws(RulesIssue) -> Void
  ) throws(RulesIssue) -> Int {
    if tokens.takeSymbol("}") {
      throw .error(
        "The '\(owner)' body must contain at least one declaration.",
        at: start..<tokens.lastEnd
      )
    }
    while !tokens.isSymbol("}") {
      guard tokens.current.kind != .end else {
        note(tokens.unexpected(expected))
        return tokens.lastEnd
      }
      statement(member)
    }
    return tokens.advance().range.upperBound
  }

  private mutating func versionStatement() throws(RulesIssue) -> RulesFile.Version {
    tokens.advance()
    try tokens.expectSymbol("=")
    let token = tokens.current
    guard case .string(let text) = token.kind else { throw tokens.unexpected("a quoted version") }
    guard let version = Int(text.string).flatMap(RulesFile.Version.init(rawValue:)) else {
      throw .error("Unsupported rules version \(text.string).", at: token.range)
    }
    tokens.advance()
    _ = tokens.takeSymbol(";")
    return version
  }

  private mutating func service() throws(RulesIssue) -> ServiceDeclaration {
    let start = tokens.advance().range.lowerBound
    let name = try serviceName()
    var functions: [FunctionDeclaration] = []
    var matches: [MatchDeclaration] = []
    try tokens.expectSymbol("{")
    let end = try block(of: "service", from: start, expecting: "'match' or 'function'") {
      (parser) throws(RulesIssue) in
      if parser.tokens.isWord("function") {
        functions.append(try parser.function())
      } else if parser.tokens.isWord("match") {
        if let match = try parser.match(depth: 1) { matches.append(match) }
      } else {
        throw parser.tokens.unexpected("'match' or 'function'")
      }
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
      tokens.advance()
    } while tokens.takeSymbol(".")
    return name
  }

  /// A match block; nil is one that lies too deep, where the service's own have depth 1.
  private mutating func match(depth: Int) throws(RulesIssue) -> MatchDeclaration? {
    let keyword = tokens.advance()
    let pattern = try matchHeader()
    guard depth <= RulesLimits.matchDepth else {
      note(.error("Maximum allowed resource rule depth of 10 is reached.", at: keyword.range))
      skipBlock()
      return nil
    }
    var body = MatchBody()
    let start = keyword.range.lowerBound
    let expected = "'allow', 'match' or 'function'"
    tokens.advance()
    let end = try block(of: "match", from: start, expecting: expected) {
      (parser) throws(RulesIssue) in
      try parser.matchMember(into: &body, depth: depth)
    }
    return MatchDeclaration(
      pattern: pattern,
      allows: body.allows,
      functions: body.functions,
      matches: body.matches,
      range: start..<end
    )
  }

  /// The path, up to the block's brace; a path with an error counts as empty.
  private mutating func matchHeader() throws(RulesIssue) -> [PatternSegment] {
    let braces = tokens.openBraces
    do throws(RulesIssue) {
      let pattern = try matchPattern()
      guard tokens.isSymbol("{") else { throw tokens.unexpected("'{'") }
      return pattern
    } catch {
      guard skipToBlock(braces: braces) else { throw error }
      note(error)
      return []
    }
  }

  private struct MatchBody {
    var allows: [AllowDeclaration] = []
    var functions: [FunctionDeclaration] = []
    var matches: [MatchDeclaration] = []
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
      if let match = try match(depth: depth + 1) { body.matches.append(match) }
    } else if tokens.current.kind == .pathStart {
      throw .error("Missing 'match' keyword before path.", at: tokens.current.range)
    } else {
      throw tokens.unexpected("'allow', 'match' or 'function'")
    }
  }

  private mutating func allow() throws(RulesIssue) -> AllowDeclaration {
    let start = tokens.advance().range.lowerBound
    var methods: [AllowDeclaration.Method] = []
    repeat {
      guard case .word(let name) = tokens.current.kind else {
        throw .error("Expected at least one 'operation' after 'allow'.", at: tokens.current.range)
      }
      methods.append(.init(name: name, range: tokens.current.range))
      tokens.advance()
    } while tokens.takeSymbol(",")
    let condition = try allowCondition()
    let end = tokens.lastEnd
    _ = tokens.takeSymbol(";")
    return AllowDeclaration(methods: methods, condition: condition, range: start..<end)
  }

  private mutating func allowCondition() throws(RulesIssue) -> Expression? {
    if tokens.isWord("if") {
      throw .error("Missing ':' before 'if' condition.", at: tokens.current.range)
    }
    guard tokens.takeSymbol(":") else { return nil }
    guard tokens.takeWord("if") else {
      throw .error("Missing 'if' before conditional expression.", at: tokens.current.range)
    }
    if tokens.isSymbol(";") || tokens.isSymbol("}") {
      throw .error("Missing conditional expression after 'if'.", at: tokens.current.range)
    }
    return try expression()
  }

  private mutating func function() throws(RulesIssue) -> FunctionDeclaration {
    let start = tokens.advance().range.lowerBound
    let name = try tokens.expectName("a function's name")
    let parameters = try functionParameters()
    guard tokens.isSymbol("{") else {
      throw .error("Missing 'function' body", at: tokens.current.range)
    }
    tokens.advance()
    var bindings: [FunctionDeclaration.Binding] = []
    while tokens.isWord("let") {
      statement(
        { (parser) throws(RulesIssue) in bindings.append(try parser.binding()) },
        stoppingAt: Self.statementWords.union(["let", "return"])
      )
    }
    guard tokens.takeWord("return") else { throw tokens.unexpected("'return'") }
    let result = try expression()
    _ = tokens.takeSymbol(";")
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
    if tokens.takeSymbol(")") { return [] }
    repeat {
      let name = try tokens.expectName("a parameter's name")
      parameters.append(.init(name: text(of: name), range: name.range))
    } while tokens.takeSymbol(",")
    try tokens.expectSymbol(")")
    return parameters
  }

  private mutating func binding() throws(RulesIssue) -> FunctionDeclaration.Binding {
    let start = tokens.advance().range.lowerBound
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
