/// The parser's view of the source: one token of lookahead, and the way into path literals.
///
/// Bytes that are not a token are a token of kind `invalid`. A parser that does not expect it
/// throws their error, so that parsing continues behind them.
struct TokenStream: Sendable {
  private let lexer: Lexer
  private(set) var current: Token
  /// The offset at which the last consumed token ended.
  private(set) var lastEnd = 0
  /// The number of braces left open by the consumed tokens; captures of paths count while they
  /// last.
  private(set) var openBraces = 0
  /// The error in the current token.
  private var failure: RulesIssue?

  init(_ bytes: [UInt8]) {
    lexer = Lexer(bytes: bytes)
    current = Token(kind: .end, range: 0..<0)
    read(at: 0)
  }

  var bytes: [UInt8] { lexer.bytes }

  private mutating func read(at offset: Int) {
    do throws(RulesIssue) {
      failure = nil
      current = try lexer.token(at: offset)
    } catch {
      failure = error
      // Something is always used up, so that skipping comes to the end.
      let start = max(error.range.lowerBound, offset)
      let end = min(max(error.range.upperBound, start + 1), bytes.count)
      current = Token(kind: .invalid, range: start..<max(end, start))
    }
  }

  /// Consumes the current token and returns it.
  @discardableResult
  mutating func advance() -> Token {
    let token = current
    if token.kind == .symbol("{") { openBraces += 1 }
    if token.kind == .symbol("}") { openBraces = max(0, openBraces - 1) }
    lastEnd = token.range.upperBound
    read(at: token.range.upperBound)
    return token
  }

  /// Continues at that offset, behind the parts of a path.
  mutating func resume(at offset: Int) {
    lastEnd = offset
    read(at: offset)
  }

  /// Continues behind the `}` of a path's capture, which is the current token.
  mutating func leaveCapture() -> Int {
    openBraces = max(0, openBraces - 1)
    return current.range.upperBound
  }

  /// Counts the open braces of an abandoned statement as closed.
  mutating func forgetBraces(beyond count: Int) { openBraces = min(openBraces, count) }

  func isSymbol(_ symbol: String) -> Bool { current.kind == .symbol(symbol) }

  func isWord(_ word: String) -> Bool { current.kind == .word(word) }

  /// Consumes the symbol if it comes next.
  mutating func takeSymbol(_ symbol: String) -> Bool {
    guard isSymbol(symbol) else { return false }
    advance()
    return true
  }

  /// Consumes the word if it comes next.
  mutating func takeWord(_ word: String) -> Bool {
    guard isWord(word) else { return false }
    advance()
    return true
  }

  mutating func expectSymbol(_ symbol: String) throws(RulesIssue) {
    guard takeSymbol(symbol) else { throw unexpected("'\(symbol)'") }
  }

  /// An identifier that is no keyword.
  mutating func expectName(_ what: String) throws(RulesIssue) -> Token {
    guard case .word(let text) = current.kind, !Keyword.reserved.contains(text) else {
      throw unexpected(what)
    }
    return advance()
  }

  /// Returns the compiler's error for a token that is not allowed here.
  func unexpected(_ expected: String) -> RulesIssue {
    if let failure { return failure }
    if current.kind == .end {
      return .error("Unexpected end of file. Expected \(expected).", at: current.range)
    }
    let text = String(decoding: bytes[current.range], as: UTF8.self)
    return .error("Unexpected '\(text)'. Expected \(expected).", at: current.range)
  }
}
