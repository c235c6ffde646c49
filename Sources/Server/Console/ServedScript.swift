/// Removes from scripts the parts that browsers do not need, about a fifth of them: comments,
/// indentation, unneeded space between tokens, semicolons where the language ends the statement
/// without them, and trailing commas.
///
/// Statements end without a semicolon before a closing brace, and at the end of a line whose next begins with a name.
/// A semicolon that is a statement of its own, as the body of a loop, would be missed: the console's scripts have none,
/// which their tests check.
///
/// Every line end stays, also those of comments: errors name the lines of the sources, and where a line end ends a
/// statement it still does. Texts in quotes and backticks and regular expressions stay byte for byte; the code within
/// a text in backticks is shortened as any other. A slash after a name, a number, `)` or `]` divides; elsewhere it begins
/// a regular expression if that ends on its line.
struct ServedScript {
  private let script: [UInt8]
  private var kept: [UInt8] = []
  private var at = 0
  /// True if space was left out after the last kept token.
  private var hasSpace = false
  /// The kind of the last kept token, which decides the meaning of a slash and of a name behind it.
  private var last = Token.operator
  /// The number of braces open in each piece of code within a text in backticks, from the
  /// outermost.
  private var openBraces: [Int] = []

  private static let lineEnd = UInt8(ascii: "\n")

  private enum Token { case operand, `operator`, expression }

  /// The words behind which a slash does not divide.
  private static let operators: Set<String> = [
    "return", "typeof", "case", "in", "of", "delete", "void", "instanceof", "new", "throw", "do",
    "else", "yield", "await",
  ]

  private init(_ script: [UInt8]) {
    self.script = script
    kept.reserveCapacity(script.count)
  }

  /// A script without its comments, its indentation and needless space.
  static func shortened(_ script: [UInt8]) -> [UInt8] {
    var served = ServedScript(script)
    while served.at < script.count { served.step() }
    return served.kept
  }

  /// Passes over one token, comment, space or line end.
  private mutating func step() {
    switch (script[at], at + 1 < script.count ? script[at + 1] : 0) {
    case ("\n", _):
      kept.append(Self.lineEnd)
      at += 1
      hasSpace = false
    case (" ", _), ("\t", _), ("\r", _):
      at += 1
      hasSpace = true
    case ("/", "/"):
      skip(to: script[at...].firstIndex(of: Self.lineEnd) ?? script.count)
    case ("/", "*"):
      skip(to: endOfComment(at: at))
    case ("\"", _), ("'", _):
      take(to: endOfQuotes, as: .operand)
    case ("`", _):
      takeText(from: at + 1)
    case ("}", _) where openBraces.last == 0:
      openBraces.removeLast()
      takeText(from: at + 1)
    case ("/", _):
      if last != .operand, let end = endOfExpression {
        take(to: end, as: .expression)
      } else {
        take(to: at + 1, as: .operator)
      }
    case (";", _) where isEndWithoutSemicolon, (",", _) where isBehindTheLast:
      at += 1
    case (let byte, _) where byte.isInName:
      let end = script[at...].firstIndex { !$0.isInName } ?? script.count
      let isOperator = Self.operators.contains(String(decoding: script[at..<end], as: UTF8.self))
      take(to: end, as: isOperator ? .operator : .operand)
    case (let byte, _):
      if !openBraces.isEmpty, byte == "{" || byte == "}" {
        openBraces[openBraces.count - 1] += byte == "{" ? 1 : -1
      }
      take(to: at + 1, as: byte == ")" || byte == "]" ? .operand : .operator)
    }
  }

  // MARK: Keeping and leaving out

  /// Keeps a token, behind a space where the two would be read as one or as others without it.
  private mutating func take(to end: Int, as token: Token) {
    if hasSpace, let before = kept.last, isParted(before, script[at]) {
      kept.append(UInt8(ascii: " "))
    }
    kept += script[at..<end]
    at = end
    hasSpace = false
    last = token
  }

  /// The next byte that is kept behind the one here, and whether a line ends before it; nil at the end.
  private var next: (byte: UInt8?, isOnNewLine: Bool) {
    var (place, isOnNewLine) = (at + 1, false)
    while place < script.count {
      switch (script[place], place + 1 < script.count ? script[place + 1] : 0) {
      case ("\n", _):
        isOnNewLine = true
        place += 1
      case (" ", _), ("\t", _), ("\r", _): place += 1
      case ("/", "/"): place = script[place...].firstIndex(of: Self.lineEnd) ?? script.count
      case ("/", "*"): place = endOfComment(at: place)
      case (let byte, _): return (byte, isOnNewLine)
      }
    }
    return (nil, true)
  }

  private var isEndWithoutSemicolon: Bool {
    let (byte, isOnNewLine) = next
    guard let byte else { return true }
    return byte == "}" || (isOnNewLine && byte.isInName && !byte.isDigit)
  }

  private var isBehindTheLast: Bool {
    guard let byte = next.byte, byte == ")" || byte == "]" || byte == "}",
      let before = kept.last(where: { $0 != Self.lineEnd })
    else { return false }
    return !(before == "," || before == "[" || before == "(")
  }

  private func isParted(_ before: UInt8, _ next: UInt8) -> Bool {
    if next.isInName { return before.isInName || last == .expression }
    if next == "." { return before.isDigit }
    return before == next && (next == "+" || next == "-" || next == "/")
  }

  /// Leaves a comment out, but for its line ends.
  private mutating func skip(to end: Int) {
    let lineEnds = script[at..<end].count(where: { $0 == Self.lineEnd })
    kept += Array(repeating: Self.lineEnd, count: lineEnds)
    hasSpace = lineEnds == 0
    at = end
  }

  /// Keeps a text in backticks, or the rest of one, to its end or to the code within it.
  private mutating func takeText(from start: Int) {
    var end = start
    while end < script.count {
      switch script[end] {
      case "`": return take(to: end + 1, as: .operand)
      case "$" where end + 1 < script.count && script[end + 1] == "{":
        openBraces.append(0)
        return take(to: end + 2, as: .operator)
      case "\\": end += 2
      default: end += 1
      }
    }
    take(to: script.count, as: .operand)
  }

  // MARK: Ends

  private func endOfComment(at start: Int) -> Int {
    var end = start + 2
    while end + 1 < script.count {
      if script[end] == "*", script[end + 1] == "/" { return end + 2 }
      end += 1
    }
    return script.count
  }

  private var endOfQuotes: Int {
    var end = at + 1
    while end < script.count, script[end] != script[at], script[end] != Self.lineEnd {
      end += script[end] == "\\" ? 2 : 1
    }
    return min(end + 1, script.count)
  }

  /// The end of the regular expression that begins here, without its flags; nil if there is none.
  private var endOfExpression: Int? {
    var isInClass = false
    var end = at + 1
    while end < script.count, script[end] != Self.lineEnd {
      switch script[end] {
      case "\\": end += 1
      case "[": isInClass = true
      case "]": isInClass = false
      case "/" where !isInClass: return end + 1
      default: break
      }
      end += 1
    }
    return nil
  }
}

extension UInt8 {
  fileprivate var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }

  /// True if names, words of the language and numbers may have the byte; beyond ASCII all may.
  fileprivate var isInName: Bool {
    let lower = self | 0x20
    return isDigit || self >= 0x80 || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(lower)
      || self == "_" || self == "$" || self == "#"
  }
}

private func == (byte: UInt8, character: Unicode.Scalar) -> Bool {
  byte == UInt8(ascii: character)
}

private func ~= (character: Unicode.Scalar, byte: UInt8) -> Bool { byte == character }
