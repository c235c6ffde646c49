/// A parsed pattern.
indirect enum RegexTree: Sendable {
  case empty
  case instruction(Regex.Instruction)
  case sequence([RegexTree])
  case alternatives([RegexTree])
  /// Nil is no upper bound.
  case repeated(RegexTree, Int, Int?, isLazy: Bool)
  /// A capturing group by its number.
  case group(RegexTree, Int)
}

/// Parses RE2's syntax.
struct RegexParser {
  private struct Flags {
    var ignoresCase = false
    var isMultiline = false
    var dotMatchesNewline = false
    var isUngreedy = false
  }

  /// The most that `{n,m}` may ask for.
  private static let maximumCount = 1_000
  private static let maximumDepth = 100
  /// `[:name:]` is looked for in so many characters.
  private static let longestClass = 12

  private let scalars: [UInt32]
  private var position = 0
  private var flags = Flags()
  private var depth = 0
  private(set) var groupCount = 0
  /// The numbers of groups by name; the first group of a name counts.
  private(set) var groupNames: [String: Int] = [:]

  init(_ pattern: String) throws(RegexError) {
    guard pattern.utf8.count <= RulesLimits.regexBytes else {
      throw RegexError(message: "expression too large")
    }
    scalars = pattern.unicodeScalars.map(\.value)
  }

  mutating func parse() throws(RegexError) -> RegexTree {
    let tree = try alternatives()
    guard position == scalars.count else { throw RegexError(message: "unexpected )") }
    return tree
  }

  private var next: UInt32? { position < scalars.count ? scalars[position] : nil }

  private mutating func take(_ character: Character) -> Bool {
    guard next == Self.code(character) else { return false }
    position += 1
    return true
  }

  private static func code(_ character: Character) -> UInt32 {
    character.unicodeScalars.first?.value ?? 0
  }

  private func isNext(_ text: String) -> Bool {
    scalars[position...].starts(with: text.unicodeScalars.lazy.map(\.value))
  }

  private mutating func takeText(_ text: String) -> Bool {
    guard isNext(text) else { return false }
    position += text.unicodeScalars.count
    return true
  }

  private mutating func alternatives() throws(RegexError) -> RegexTree {
    depth += 1
    defer { depth -= 1 }
    guard depth <= Self.maximumDepth else { throw RegexError(message: "nested too deeply") }
    var branches = [try sequence()]
    while take("|") { branches.append(try sequence()) }
    return branches.count == 1 ? branches[0] : .alternatives(branches)
  }

  private mutating func sequence() throws(RegexError) -> RegexTree {
    var items: [RegexTree] = []
    while let character = next, character != 0x7C, character != 0x29 {
      if takeText("\\Q") {
        quoted(into: &items)
        continue
      }
      if let item = try atom() { items.append(try quantified(item)) }
    }
    return items.isEmpty ? .empty : .sequence(items)
  }

  private mutating func quoted(into items: inout [RegexTree]) {
    while position < scalars.count, !takeText("\\E") {
      items.append(literal(scalars[position]))
      position += 1
    }
  }

  private func literal(_ scalar: UInt32) -> RegexTree {
    var set = ScalarSet(scalar)
    if flags.ignoresCase { set.fold() }
    return .instruction(.one(set))
  }

  private mutating func quantified(_ item: RegexTree) throws(RegexError) -> RegexTree {
    guard let (low, high) = try quantifier() else { return item }
    let isLazy = take("?") != flags.isUngreedy
    if try quantifier() != nil { throw RegexError(message: "invalid nested repetition operator") }
    return .repeated(item, low, high, isLazy: isLazy)
  }

  private mutating func quantifier() throws(RegexError) -> (Int, Int?)? {
    if take("*") { return (0, nil) }
    if take("+") { return (1, nil) }
    if take("?") { return (0, 1) }
    return try counts()
  }

  /// `{n}`, `{n,}` or `{n,m}`; any other brace is a character.
  private mutating func counts() throws(RegexError) -> (Int, Int?)? {
    let start = position
    guard take("{"), let low = number() else {
      position = start
      return nil
    }
    var high: Int? = low
    if take(",") { high = number() }
    guard take("}") else {
      position = start
      return nil
    }
    guard low <= Self.maximumCount, high ?? 0 <= Self.maximumCount, high.map({ $0 >= low }) ?? true
    else { throw RegexError(message: "invalid repeat count") }
    return (low, high)
  }

  private mutating func number() -> Int? {
    var value: Int?
    while let digit = next, (0x30...0x39).contains(digit) {
      value = min((value ?? 0) * 10 + Int(digit - 0x30), 100_000)
      position += 1
    }
    return value
  }

  /// Nil for what only sets flags.
  private mutating func atom() throws(RegexError) -> RegexTree? {
    if take("(") { return try group() }
    if take("[") { return .instruction(.one(try characterClass())) }
    if take(".") { return .instruction(flags.dotMatchesNewline ? .any : .anyButNewline) }
    if take("^") {
      return .instruction(.assertion(flags.isMultiline ? .lineStart : .textStart))
    }
    if take("$") { return .instruction(.assertion(flags.isMultiline ? .lineEnd : .textEnd)) }
    if take("\\") { return try escape() }
    let start = position
    if try quantifier() != nil { throw RegexError(message: "missing argument to repetition") }
    position = start + 1
    return literal(scalars[start])
  }

  private mutating func group() throws(RegexError) -> RegexTree? {
    let outer = flags
    guard take("?") else { return try captured(outer) }
    if takeText("P<") || isNext("<") && !isNext("<=") && !isNext("<!") && take("<") {
      try groupName()
      return try captured(outer)
    }
    try readFlags()
    if take(")") { return nil }
    guard take(":") else { throw RegexError(message: "invalid or unsupported group syntax") }
    let tree = try alternatives()
    flags = outer
    guard take(")") else { throw RegexError(message: "missing closing )") }
    return tree
  }

  private mutating func captured(_ outer: Flags) throws(RegexError) -> RegexTree {
    groupCount += 1
    let number = groupCount
    let tree = try alternatives()
    flags = outer
    guard take(")") else { throw RegexError(message: "missing closing )") }
    return .group(tree, number)
  }

  private mutating func groupName() throws(RegexError) {
    let start = position
    while let character = next, character < 128, Lexer.isWord(UInt8(character)) { position += 1 }
    let end = position
    guard end > start, take(">") else { throw RegexError(message: "invalid group name") }
    let name = String(decoding: scalars[start..<end].map { UInt8($0) }, as: UTF8.self)
    // The group is the next one to be counted.
    if groupNames[name] == nil { groupNames[name] = groupCount + 1 }
  }

  private mutating func readFlags() throws(RegexError) {
    var isOn = true
    while let character = next, character != 0x3A, character != 0x29 {
      position += 1
      switch Character(UnicodeScalar(character) ?? " ") {
      case "i": flags.ignoresCase = isOn
      case "m": flags.isMultiline = isOn
      case "s": flags.dotMatchesNewline = isOn
      case "U": flags.isUngreedy = isOn
      case "-" where isOn: isOn = false
      default: throw RegexError(message: "invalid or unsupported group syntax")
      }
    }
  }

  private mutating func escape() throws(RegexError) -> RegexTree {
    if let assertion = takeAssertion() { return .instruction(.assertion(assertion)) }
    var set = ScalarSet()
    if try !takeClass(into: &set) { set = ScalarSet(try escapedScalar()) }
    if flags.ignoresCase { set.fold() }
    return .instruction(.one(set))
  }

  private mutating func takeAssertion() -> Regex.Assertion? {
    if take("A") { return .textStart }
    if take("z") { return .textEnd }
    if take("b") { return .wordBoundary }
    if take("B") { return .noWordBoundary }
    return nil
  }

  /// A class behind a backslash: `\d`, `\pL`, `\p{Lu}` and their complements.
  private mutating func takeClass(into set: inout ScalarSet) throws(RegexError) -> Bool {
    if take("p") { return try category(isNegated: false, into: &set) }
    if take("P") { return try category(isNegated: true, into: &set) }
    guard let character = next, character < 128,
      let ranges = Self.perlClasses[Character(UnicodeScalar(UInt8(character)))]
    else { return false }
    position += 1
    for range in ranges { set.add(range) }
    return true
  }

  private mutating func category(
    isNegated: Bool,
    into set: inout ScalarSet
  ) throws(RegexError) -> Bool {
    var name = ""
    var isNegated = isNegated
    if take("{") {
      if take("^") { isNegated.toggle() }
      while let character = next, !take("}") {
        name.unicodeScalars.append(UnicodeScalar(character) ?? " ")
        position += 1
      }
    } else if let character = next {
      name.unicodeScalars.append(UnicodeScalar(character) ?? " ")
      position += 1
    }
    guard set.add(category: name, isNegated: isNegated) else {
      throw RegexError(message: "invalid character class range")
    }
    return true
  }

  private mutating func escapedScalar() throws(RegexError) -> UInt32 {
    guard let character = next else { throw RegexError(message: "trailing backslash") }
    position += 1
    switch Character(UnicodeScalar(character) ?? " ") {
    case "n": return 0x0A
    case "t": return 0x09
    case "r": return 0x0D
    case "f": return 0x0C
    case "a": return 0x07
    case "v": return 0x0B
    case "x": return try hexadecimal()
    case "0": return octal(first: 0, most: 2)
    case "1"..."7":
      guard let digit = next, (0x30...0x37).contains(digit) else { break }
      return octal(first: character - 0x30, most: 2)
    default:
      if character >= 128 || !Lexer.isWord(UInt8(character)) || character == 0x5F {
        return character
      }
    }
    throw RegexError(message: "invalid escape sequence")
  }

  private mutating func octal(first: UInt32, most: Int) -> UInt32 {
    var value = first
    var count = 0
    while count < most, let digit = next, (0x30...0x37).contains(digit) {
      value = value * 8 + digit - 0x30
      position += 1
      count += 1
    }
    return value
  }

  private mutating func hexadecimal() throws(RegexError) -> UInt32 {
    var digits = ""
    if take("{") {
      while let character = next, !take("}"), digits.count < 8 {
        digits.unicodeScalars.append(UnicodeScalar(character) ?? " ")
        position += 1
      }
    } else {
      for character in scalars[position...].prefix(2) {
        digits.unicodeScalars.append(UnicodeScalar(character) ?? " ")
      }
      position = min(position + 2, scalars.count)
      guard digits.count == 2 else { throw RegexError(message: "invalid escape sequence") }
    }
    guard let value = UInt32(digits, radix: 16), value <= 0x10FFFF,
      digits.allSatisfy(\.isHexDigit)
    else {
      throw RegexError(message: "invalid escape sequence")
    }
    return value
  }

  private mutating func characterClass() throws(RegexError) -> ScalarSet {
    var set = ScalarSet()
    let isNegated = take("^")
    var isFirst = true
    while isFirst || next != 0x5D {
      isFirst = false
      guard next != nil else { throw RegexError(message: "missing closing ]") }
      try classItem(into: &set)
    }
    position += 1
    if flags.ignoresCase { set.fold() }
    if isNegated { set.negate() }
    return set
  }

  private mutating func classItem(into set: inout ScalarSet) throws(RegexError) {
    if isNext("[:"), try posixClass(into: &set) { return }
    if isNext("\\") {
      position += 1
      if try takeClass(into: &set) { return }
      position -= 1
    }
    let low = try classScalar()
    guard isNext("-"), position + 1 < scalars.count, scalars[position + 1] != 0x5D else {
      return set.add(low...low)
    }
    position += 1
    let high = try classScalar()
    guard low <= high else { throw RegexError(message: "invalid character class range") }
    set.add(low...high)
  }

  private mutating func classScalar() throws(RegexError) -> UInt32 {
    if take("\\") { return try escapedScalar() }
    guard let character = next else { throw RegexError(message: "missing closing ]") }
    position += 1
    return character
  }

  private mutating func posixClass(into set: inout ScalarSet) throws(RegexError) -> Bool {
    let start = position + 2
    guard let end = scalars[start...].prefix(Self.longestClass).firstIndex(of: 0x5D), end > start,
      scalars[end - 1] == 0x3A
    else { return false }
    var name = scalars[start..<(end - 1)]
    let isNegated = name.first == Self.code("^")
    if isNegated { name.removeFirst() }
    let text = String(String.UnicodeScalarView(name.compactMap(UnicodeScalar.init)))
    guard let ranges = Self.posixClasses[text] else {
      throw RegexError(message: "invalid character class range")
    }
    for range in isNegated ? Self.complement(of: ranges) : ranges { set.add(range) }
    position = end + 1
    return true
  }

  private static let digits: [ClosedRange<UInt32>] = [0x30...0x39]
  private static let words: [ClosedRange<UInt32>] = [
    0x30...0x39, 0x41...0x5A, 0x5F...0x5F, 0x61...0x7A,
  ]
  private static let blanks: [ClosedRange<UInt32>] = [0x09...0x0A, 0x0C...0x0D, 0x20...0x20]

  private static let perlClasses: [Character: [ClosedRange<UInt32>]] = [
    "d": digits, "D": complement(of: digits), "w": words, "W": complement(of: words),
    "s": blanks, "S": complement(of: blanks),
  ]

  private static let posixClasses: [String: [ClosedRange<UInt32>]] = [
    "alnum": [0x30...0x39, 0x41...0x5A, 0x61...0x7A], "alpha": [0x41...0x5A, 0x61...0x7A],
    "ascii": [0...0x7F], "blank": [0x09...0x09, 0x20...0x20], "cntrl": [0...0x1F, 0x7F...0x7F],
    "digit": digits, "graph": [0x21...0x7E], "lower": [0x61...0x7A], "print": [0x20...0x7E],
    "punct": [0x21...0x2F, 0x3A...0x40, 0x5B...0x60, 0x7B...0x7E],
    "space": [0x09...0x0D, 0x20...0x20], "upper": [0x41...0x5A], "word": words,
    "xdigit": [0x30...0x39, 0x41...0x46, 0x61...0x66],
  ]

  /// The ranges must be sorted and apart.
  private static func complement(of ranges: [ClosedRange<UInt32>]) -> [ClosedRange<UInt32>] {
    var result: [ClosedRange<UInt32>] = []
    var start: UInt32 = 0
    for range in ranges {
      if range.lowerBound > start { result.append(start...(range.lowerBound - 1)) }
      start = range.upperBound + 1
    }
    result.append(start...0x10FFFF)
    return result
  }
}
