/// Removes from scripts the parts that browsers do not need, about a fifth of them.
///
/// These are comments, indentation, unneeded space between tokens, semicolons where the language ends the
/// statement without them, trailing commas, and the parentheses of a single parameter. Declarations of one kind
/// that follow each other become one.
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
  /// The keywords of the declaration in progress within each open bracket, from the outermost: `const`, `let`, and
  /// those with `export` before them.
  private var declarations: [String?] = [nil]
  /// The number of keywords that follow and that a comma before them replaces.
  private var replacedKeywords = 0
  /// The last kept token if it is a name, else empty.
  private var lastName = ""

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
      leaveBracket()
      takeText(from: at + 1)
    case ("/", _):
      if last != .operand, let end = endOfExpression {
        take(to: end, as: .expression)
      } else {
        take(to: at + 1, as: .operator)
      }
    case (";", _): takeSemicolon()
    case (",", _) where isBehindTheLast: at += 1
    case (let byte, _) where byte.isInName: takeName()
    case (let byte, _): takeSign(byte)
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
    lastName = ""
  }

  private mutating func takeName() {
    let end = endOfName(at: at)
    let name = String(decoding: script[at..<end], as: UTF8.self)
    guard replacedKeywords == 0 else {
      replacedKeywords -= 1
      at = end
      hasSpace = false
      return
    }
    if name == "const" || name == "let" {
      declarations[declarations.count - 1] = lastName == "export" ? "export \(name)" : name
    }
    take(to: end, as: Self.operators.contains(name) ? .operator : .operand)
    lastName = name
  }

  private mutating func takeSign(_ byte: UInt8) {
    if !openBraces.isEmpty, byte == "{" || byte == "}" {
      openBraces[openBraces.count - 1] += byte == "{" ? 1 : -1
    }
    switch byte {
    case "(":
      if let (name, end) = singleParameter {
        hasSpace = true
        at = name.lowerBound
        take(to: name.upperBound, as: .operand)
        at = end
        return
      }
      declarations.append(nil)
    case "[", "{": declarations.append(nil)
    case ")", "]", "}": leaveBracket()
    default: break
    }
    take(to: at + 1, as: byte == ")" || byte == "]" ? .operand : .operator)
  }

  private mutating func leaveBracket() {
    if declarations.count > 1 { declarations.removeLast() }
  }

  /// Keeps a semicolon that the language needs; a comma takes its place before a declaration of the same kind.
  private mutating func takeSemicolon() {
    let keywords = (declarations[declarations.count - 1] ?? "").split(separator: " ")
    if !keywords.isEmpty, areNext(keywords) {
      kept.append(UInt8(ascii: ","))
      at += 1
      last = .operator
      replacedKeywords = keywords.count
    } else {
      declarations[declarations.count - 1] = nil
      if isEndWithoutSemicolon { at += 1 } else { take(to: at + 1, as: .operator) }
    }
  }

  /// The name and the end of parentheses around nothing but the parameter of a function with an arrow, which begin here.
  private var singleParameter: (name: Range<Int>, end: Int)? {
    let start = endOfSpace(at: at + 1)
    let end = endOfName(at: start)
    let close = endOfSpace(at: end)
    guard end > start, close < script.count, script[close] == ")" else { return nil }
    let arrow = endOfSpace(at: close + 1)
    guard script[arrow...].starts(with: "=>".utf8) else { return nil }
    return (start..<end, close + 1)
  }

  /// The next byte that is kept behind the one here with its place, and whether a line ends before it; nil at the end.
  private var next: (byte: UInt8?, place: Int, isOnNewLine: Bool) {
    var (place, isOnNewLine) = (at + 1, false)
    while place < script.count {
      switch (script[place], place + 1 < script.count ? script[place + 1] : 0) {
      case ("\n", _):
        isOnNewLine = true
        place += 1
      case (" ", _), ("\t", _), ("\r", _): place += 1
      case ("/", "/"): place = script[place...].firstIndex(of: Self.lineEnd) ?? script.count
      case ("/", "*"): place = endOfComment(at: place)
      case (let byte, _): return (byte, place, isOnNewLine)
      }
    }
    return (nil, script.count, true)
  }

  private func areNext(_ names: [Substring]) -> Bool {
    var start = next.place
    return names.allSatisfy { name in
      let end = endOfName(at: start)
      defer { start = endOfSpace(at: end) }
      return script[start..<end].elementsEqual(name.utf8)
    }
  }

  private var isEndWithoutSemicolon: Bool {
    let (byte, _, isOnNewLine) = next
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
        declarations.append(nil)
        return take(to: end + 2, as: .operator)
      case "\\": end += 2
      default: end += 1
      }
    }
    take(to: script.count, as: .operand)
  }

  // MARK: Ends

  private func endOfName(at start: Int) -> Int {
    script[start...].firstIndex { !$0.isInName } ?? script.count
  }

  private func endOfSpace(at start: Int) -> Int {
    script[start...].firstIndex { $0 != UInt8(ascii: " ") } ?? script.count
  }

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
