// Paths: segments are read from the bytes, since they have no blanks and other letters than the
// rest of the language; `$( )` goes back to the grammar of expressions.

extension RulesParser {
  /// The pattern behind `match`: literals, `{name}` and `{name=**}`.
  mutating func matchPattern() throws(RulesIssue) -> [PatternSegment] {
    guard tokens.current.kind == .pathStart else { throw tokens.unexpected("a path") }
    var offset = tokens.current.range.lowerBound
    let start = offset
    var pattern: [PatternSegment] = []
    while byte(offset) == UInt8(ascii: "/") {
      offset += 1
      if byte(offset) == UInt8(ascii: "{") {
        pattern.append(try capture(at: &offset))
      } else {
        let segment = try PathLexer(bytes: tokens.bytes).segment(at: offset)
        pattern.append(.literal(segment.text))
        offset = segment.end
      }
    }
    tokens.resume(at: offset)
    guard pattern.count <= RulesLimits.pathSegments else {
      throw .error("Maximum allowed path length of 100", at: start..<offset)
    }
    return pattern
  }

  /// A path in an expression.
  mutating func pathLiteral() throws(RulesIssue) -> Expression {
    let start = tokens.current.range.lowerBound
    var offset = start
    var parts: [Expression.PathPart] = []
    while byte(offset) == UInt8(ascii: "/") {
      offset += 1
      parts.append(try pathPart(at: &offset))
    }
    tokens.resume(at: offset)
    return make(.path(parts), from: start)
  }

  private mutating func pathPart(at offset: inout Int) throws(RulesIssue) -> Expression.PathPart {
    if byte(offset) == UInt8(ascii: "{") {
      switch try capture(at: &offset) {
      case .capture(let name): return .capture(name)
      case .glob(let name): return .glob(name)
      case .literal(let text): return .literal(text)
      }
    }
    if byte(offset) == UInt8(ascii: "$"), byte(offset + 1) == UInt8(ascii: "(") {
      tokens.resume(at: offset + 2)
      let inner = try expression()
      guard tokens.isSymbol(")") else { throw tokens.unexpected("')'") }
      offset = tokens.current.range.upperBound
      try endOfSegment(at: offset)
      return .interpolation(inner)
    }
    let segment = try PathLexer(bytes: tokens.bytes).segment(at: offset)
    offset = segment.end
    try endOfSegment(at: offset)
    return .literal(segment.text)
  }

  /// `$(…)` is a whole segment: neither `x$(a)` nor `$(a)x` is one.
  private func endOfSegment(at offset: Int) throws(RulesIssue) {
    guard let next = byte(offset) else { return }
    let glued = next == UInt8(ascii: "$") || next == UInt8(ascii: "{")
    guard glued || PathLexer.isSegmentByte(next) || next == UInt8(ascii: "(") else { return }
    throw .error(
      "Forward slash '/' found where identifier or binding expected.",
      at: offset..<(offset + 1)
    )
  }

  /// `{name}`, `{name=*}` or `{name=**}` from the brace on.
  private mutating func capture(at offset: inout Int) throws(RulesIssue) -> PatternSegment {
    tokens.resume(at: offset)
    try tokens.expectSymbol("{")
    let name = text(of: try tokens.expectName("a variable's name"))
    var isGlob = false
    if tokens.takeSymbol("=") {
      isGlob = tokens.isSymbol("**")
      guard isGlob || tokens.isSymbol("*") else { throw tokens.unexpected("'**'") }
      tokens.advance()
    }
    guard tokens.isSymbol("}") else { throw tokens.unexpected("'}'") }
    offset = tokens.leaveCapture()
    return isGlob ? .glob(name) : .capture(name)
  }

  private func byte(_ offset: Int) -> UInt8? {
    offset < tokens.bytes.count ? tokens.bytes[offset] : nil
  }
}
