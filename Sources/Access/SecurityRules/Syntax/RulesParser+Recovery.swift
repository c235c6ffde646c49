// After a syntax error the parser continues at the next position that it can know: behind the
// statement's `;`, at the brace that closes the block, or at a word that only begins statements. So
// one source shows all its errors; a missing or extra brace still affects its surroundings.

extension RulesParser {
  /// Words that begin a statement of a block and occur nowhere else, except behind a point.
  static let statementWords: Set<String> = ["allow", "function", "match", "service"]

  /// Parses one statement of a block; a statement with an error is noted and skipped.
  mutating func statement(
    _ parse: (inout RulesParser) throws(RulesIssue) -> Void,
    stoppingAt words: Set<String> = RulesParser.statementWords
  ) {
    let start = tokens.current.range.lowerBound
    let braces = tokens.openBraces
    let outerDepth = depth
    do throws(RulesIssue) {
      try parse(&self)
    } catch {
      note(error)
      depth = outerDepth
      skipStatement(from: start, braces: braces, words: words)
    }
  }

  /// Notes an error; a source that has very many is not worth more.
  mutating func note(_ issue: RulesIssue) {
    guard issues.count < RulesLimits.syntaxErrors else { return }
    // Every block around an unfinished one would say the same.
    if let last = issues.last, last.range == issue.range, tokens.current.kind == .end { return }
    issues.append(issue)
    if issues.count == RulesLimits.syntaxErrors {
      issues.append(.error("Too many errors.", at: issue.range))
    }
  }

  /// Skips the rest of a statement that began at `start` inside of this many braces.
  private mutating func skipStatement(from start: Int, braces: Int, words: Set<String>) {
    defer { tokens.forgetBraces(beyond: braces) }
    if tokens.current.range.lowerBound == start, !(tokens.isSymbol("}") && braces > 0) {
      guard tokens.advance().kind != .symbol(";") else { return }
    }
    var isBehindPoint = false
    while tokens.current.kind != .end {
      switch tokens.current.kind {
      case .word(let word) where words.contains(word) && !isBehindPoint: return
      case .symbol("}") where tokens.openBraces <= braces && braces > 0: return
      case .symbol(";") where tokens.openBraces <= braces:
        tokens.advance()
        return
      default: break
      }
      isBehindPoint = tokens.isSymbol(".")
      tokens.advance()
    }
  }

  /// Skips to the brace that opens the block of a `match` whose path has an error: the one that
  /// statements follow.
  ///
  /// False where none comes before the statement's end.
  mutating func skipToBlock(braces: Int) -> Bool {
    var ahead = tokens
    while ahead.current.kind != .end, !ahead.isSymbol(";") {
      let before = ahead
      ahead.advance()
      guard case .word(let word) = ahead.current.kind, Self.statementWords.contains(word) else {
        continue
      }
      guard before.isSymbol("{") else { return false }
      tokens = before
      tokens.forgetBraces(beyond: braces)
      return true
    }
    return false
  }

  /// Skips a block as a whole; the parser is at its brace.
  mutating func skipBlock() {
    let braces = tokens.openBraces
    repeat { tokens.advance() } while tokens.current.kind != .end && tokens.openBraces > braces
  }
}
