/// A regular expression of RE2's language: it never takes more than linear time in the text.
///
/// The pattern becomes a program of a non-deterministic automaton whose states advance together
/// (Thompson, Pike). There are no back references and no look-around. Classes are Unicode general
/// categories, POSIX names and Perl's; scripts (`\p{Greek}`) are refused.
struct Regex: Sendable {
  /// One step of the automaton.
  enum Instruction: Sendable {
    case one(ScalarSet)
    case any
    case anyButNewline
    case assertion(Assertion)
    /// Goes to both, preferring the first.
    case split(Int, Int)
    case jump(Int)
    case save(Int)
    case match
  }

  /// Conditions on a place between characters.
  enum Assertion: Sendable {
    case textStart, textEnd, lineStart, lineEnd, wordBoundary, noWordBoundary
  }

  let program: [Instruction]
  /// Capturing groups, the whole match not counted.
  let groupCount: Int

  init(_ pattern: String) throws(RegexError) {
    var parser = RegexParser(pattern)
    let tree = try parser.parse()
    var compiler = RegexCompiler()
    try compiler.emit(.group(tree, 0))
    compiler.program.append(.match)
    program = compiler.program
    groupCount = parser.groupCount
  }
}

/// Why a pattern is none.
struct RegexError: Error {
  let message: String
}

/// A set of characters as sorted ranges with a lookup of its ASCII part.
struct ScalarSet: Sendable {
  private var ascii: (UInt64, UInt64) = (0, 0)
  private var ranges: [ClosedRange<UInt32>] = []
  private var categories: Set<CategoryTest> = []
  private var isNegated = false

  init() {}

  init(_ scalar: UInt32) { add(scalar...scalar) }

  /// A general category, or a family of them by its first letter.
  struct CategoryTest: Hashable, Sendable {
    let name: String
    let isNegated: Bool
  }

  mutating func add(_ range: ClosedRange<UInt32>) {
    ranges.append(range)
    guard range.lowerBound < 128 else { return }
    for scalar in range.lowerBound...min(range.upperBound, 127) {
      if scalar < 64 { ascii.0 |= 1 << UInt64(scalar) } else { ascii.1 |= 1 << UInt64(scalar - 64) }
    }
  }

  mutating func add(_ test: CategoryTest) { categories.insert(test) }

  mutating func negate() { isNegated.toggle() }

  /// Adds what differs only in case from what is there.
  ///
  /// Long ranges beyond ASCII are looked up through the folded character instead.
  mutating func fold() { isFolded = true }

  private var isFolded = false

  func contains(_ scalar: UInt32) -> Bool {
    var found = holds(scalar)
    if !found, isFolded {
      found = scalar.caseVariants.contains { holds($0) }
    }
    return found != isNegated
  }

  private func holds(_ scalar: UInt32) -> Bool {
    if scalar < 128, categories.isEmpty {
      return scalar < 64
        ? ascii.0 & (1 << UInt64(scalar)) != 0 : ascii.1 & (1 << UInt64(scalar - 64)) != 0
    }
    return ranges.contains { $0.contains(scalar) } || categories.contains { $0.holds(scalar) }
  }
}

extension ScalarSet.CategoryTest {
  /// Whether the character is of the category.
  func holds(_ scalar: UInt32) -> Bool {
    guard let unicode = UnicodeScalar(scalar) else { return isNegated }
    let category = Self.names[unicode.properties.generalCategory] ?? "Cn"
    return (name == "Any" || category.hasPrefix(name)) != isNegated
  }

  /// Whether the name is known.
  var isKnown: Bool { name == "Any" || Self.names.values.contains { $0.hasPrefix(name) } }

  private static let names: [Unicode.GeneralCategory: String] = [
    .uppercaseLetter: "Lu", .lowercaseLetter: "Ll", .titlecaseLetter: "Lt", .modifierLetter: "Lm",
    .otherLetter: "Lo", .nonspacingMark: "Mn", .spacingMark: "Mc", .enclosingMark: "Me",
    .decimalNumber: "Nd", .letterNumber: "Nl", .otherNumber: "No", .connectorPunctuation: "Pc",
    .dashPunctuation: "Pd", .openPunctuation: "Ps", .closePunctuation: "Pe",
    .initialPunctuation: "Pi", .finalPunctuation: "Pf", .otherPunctuation: "Po",
    .mathSymbol: "Sm", .currencySymbol: "Sc", .modifierSymbol: "Sk", .otherSymbol: "So",
    .spaceSeparator: "Zs", .lineSeparator: "Zl", .paragraphSeparator: "Zp", .control: "Cc",
    .format: "Cf", .surrogate: "Cs", .privateUse: "Co", .unassigned: "Cn",
  ]
}

extension UInt32 {
  /// The other cases of a character, where each is one character.
  var caseVariants: [UInt32] {
    guard let scalar = UnicodeScalar(self) else { return [] }
    let properties = scalar.properties
    return [properties.lowercaseMapping, properties.uppercaseMapping].compactMap { mapping in
      let scalars = mapping.unicodeScalars
      return scalars.count == 1 ? scalars.first?.value : nil
    }
  }
}
