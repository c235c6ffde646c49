import FirestoreModel

/// The parser's view of the source: one token of lookahead, and the way into path literals.
struct TokenStream: Sendable {
  private let lexer: Lexer
  private(set) var current: Token
  /// Where the last consumed token ended.
  private(set) var lastEnd = 0

  init(_ bytes: [UInt8]) throws(RulesIssue) {
    lexer = Lexer(bytes: bytes)
    current = try lexer.token(at: 0)
  }

  var bytes: [UInt8] { lexer.bytes }

  /// Consumes the current token and returns it.
  @discardableResult
  mutating func advance() throws(RulesIssue) -> Token {
    let token = current
    lastEnd = token.range.upperBound
    current = try lexer.token(at: token.range.upperBound)
    return token
  }

  /// Goes on at that offset, behind what a path's parts have used up.
  mutating func resume(at offset: Int) throws(RulesIssue) {
    lastEnd = offset
    current = try lexer.token(at: offset)
  }

  func isSymbol(_ symbol: String) -> Bool { current.kind == .symbol(symbol) }

  func isWord(_ word: String) -> Bool { current.kind == .word(word) }

  /// Consumes the symbol if it comes next.
  mutating func takeSymbol(_ symbol: String) throws(RulesIssue) -> Bool {
    guard isSymbol(symbol) else { return false }
    try advance()
    return true
  }

  /// Consumes the word if it comes next.
  mutating func takeWord(_ word: String) throws(RulesIssue) -> Bool {
    guard isWord(word) else { return false }
    try advance()
    return true
  }

  mutating func expectSymbol(_ symbol: String) throws(RulesIssue) {
    guard try takeSymbol(symbol) else { throw unexpected("'\(symbol)'") }
  }

  /// An identifier that is no keyword.
  mutating func expectName(_ what: String) throws(RulesIssue) -> Token {
    guard case .word(let text) = current.kind, !Keyword.reserved.contains(text) else {
      throw unexpected(what)
    }
    return try advance()
  }

  /// What the compiler says of a token that cannot stand here.
  func unexpected(_ expected: String) -> RulesIssue {
    if current.kind == .end {
      return .error("Unexpected end of file. Expected \(expected).", at: current.range)
    }
    let text = String(decoding: bytes[current.range], as: UTF8.self)
    return .error("Unexpected '\(text)'. Expected \(expected).", at: current.range)
  }
}
