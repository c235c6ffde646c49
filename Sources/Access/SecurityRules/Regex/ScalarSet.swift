/// A set of characters: ranges and general categories, with a bit map of what it holds of ASCII.
///
/// `seal()` ends its making; before that it holds nothing.
struct ScalarSet: Sendable {
  private var ranges: [ClosedRange<UInt32>] = []
  private var categories: UInt32 = 0
  private var isFolded = false
  private var isNegated = false
  /// The bits of the characters below 64.
  private(set) var low: UInt64 = 0
  /// The bits of the characters from 64 to 127.
  private(set) var high: UInt64 = 0

  init() {}

  init(_ scalar: UInt32) { add(scalar...scalar) }

  mutating func add(_ range: ClosedRange<UInt32>) { ranges.append(range) }

  /// Adds the characters of a general category, or of a family of them by its first letter; false
  /// for names that mean none.
  mutating func add(category name: String, isNegated: Bool) -> Bool {
    guard let bits = GeneralCategories.bits(of: name) else { return false }
    categories |= isNegated ? ~bits : bits
    return true
  }

  mutating func negate() { isNegated.toggle() }

  /// Adds the variants that differ only in case.
  mutating func fold() { isFolded = true }

  /// Sorts the ranges and joins adjacent ones, and records their ASCII part.
  mutating func seal() {
    ranges.sort { $0.lowerBound < $1.lowerBound }
    var joined: [ClosedRange<UInt32>] = []
    for range in ranges {
      if let last = joined.last, range.lowerBound <= last.upperBound + 1 {
        joined[joined.count - 1] = last.lowerBound...max(last.upperBound, range.upperBound)
      } else {
        joined.append(range)
      }
    }
    ranges = joined
    for scalar in 0..<UInt32(128) where contains(scalar) {
      if scalar < 64 { low |= 1 << UInt64(scalar) } else { high |= 1 << UInt64(scalar - 64) }
    }
  }

  /// Steps that it takes to look a character beyond ASCII up.
  var lookupSteps: Int { 2 + (categories == 0 ? 0 : 8) + (isFolded ? 64 : 0) }

  /// Returns true if the set holds a character; for ASCII the bits say it sooner.
  func contains(_ scalar: UInt32) -> Bool {
    let isFound = holds(scalar) || isFolded && holdsVariant(of: scalar)
    return isFound != isNegated
  }

  /// Returns true if the set holds the other case of a character; in ASCII only letters have one,
  /// in ASCII.
  private func holdsVariant(of scalar: UInt32) -> Bool {
    guard scalar < 128 else { return scalar.caseVariants.contains { holds($0) } }
    let isLetter = (0x61...0x7A).contains(scalar | 0x20)
    return isLetter && holds(scalar ^ 0x20)
  }

  private func holds(_ scalar: UInt32) -> Bool {
    var lower = 0
    var upper = ranges.count
    while lower < upper {
      let middle = (lower + upper) / 2
      if ranges[middle].upperBound < scalar { lower = middle + 1 } else { upper = middle }
    }
    if lower < ranges.count, ranges[lower].lowerBound <= scalar { return true }
    return categories != 0 && GeneralCategories.bit(of: scalar) & categories != 0
  }
}

/// Unicode's general categories as bits.
private enum GeneralCategories {
  private static let names: [(category: Unicode.GeneralCategory, name: String)] = [
    (.uppercaseLetter, "Lu"), (.lowercaseLetter, "Ll"), (.titlecaseLetter, "Lt"),
    (.modifierLetter, "Lm"), (.otherLetter, "Lo"), (.nonspacingMark, "Mn"),
    (.spacingMark, "Mc"), (.enclosingMark, "Me"), (.decimalNumber, "Nd"), (.letterNumber, "Nl"),
    (.otherNumber, "No"), (.connectorPunctuation, "Pc"), (.dashPunctuation, "Pd"),
    (.openPunctuation, "Ps"), (.closePunctuation, "Pe"), (.initialPunctuation, "Pi"),
    (.finalPunctuation, "Pf"), (.otherPunctuation, "Po"), (.mathSymbol, "Sm"),
    (.currencySymbol, "Sc"), (.modifierSymbol, "Sk"), (.otherSymbol, "So"),
    (.spaceSeparator, "Zs"), (.lineSeparator, "Zl"), (.paragraphSeparator, "Zp"),
    (.control, "Cc"), (.format, "Cf"), (.surrogate, "Cs"), (.privateUse, "Co"),
    (.unassigned, "Cn"),
  ]

  private static let bits = Dictionary(
    uniqueKeysWithValues: names.enumerated().map { ($1.category, UInt32(1) << UInt32($0)) }
  )

  /// All categories whose name begins so; nil where there is none.
  static func bits(of name: String) -> UInt32? {
    if name == "Any" { return .max }
    guard !name.isEmpty else { return nil }
    let found = names.filter { $0.name.hasPrefix(name) }
    return found.isEmpty ? nil : found.reduce(0) { $0 | (bits[$1.category] ?? 0) }
  }

  static func bit(of scalar: UInt32) -> UInt32 {
    UnicodeScalar(scalar).flatMap { bits[$0.properties.generalCategory] } ?? 0
  }
}

extension UInt32 {
  /// The other cases of a character, where each is one character.
  fileprivate var caseVariants: [UInt32] {
    guard let scalar = UnicodeScalar(self) else { return [] }
    let properties = scalar.properties
    return [properties.lowercaseMapping, properties.uppercaseMapping].compactMap { mapping in
      let scalars = mapping.unicodeScalars
      return scalars.count == 1 ? scalars.first?.value : nil
    }
  }
}
