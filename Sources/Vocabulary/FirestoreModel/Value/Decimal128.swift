import BaseText

/// A decimal number of IEEE 754's decimal128: up to 34 digits and a power of ten, an infinity, or NaN.
///
/// `==` is identity: 1.0 is not 1.00. The order by number is `compare(_:)`, in which they are equal.
package struct Decimal128: Sendable, Hashable {
  /// Finite numbers, and those that are not.
  package enum Kind: Sendable, Hashable {
    case finite
    case infinite
    case notANumber
  }

  /// The digits that a number has at most.
  package static let digits = 34
  /// The exponent of the first digit, at most.
  static let maximumExponent = 6_144
  /// The exponent of the last digit, at least.
  static let minimumExponent = -6_176
  /// The digits in each of the two words.
  static let wordDigits = 17

  /// The kind of number.
  package let kind: Kind
  /// True for negative numbers, and for a negative zero.
  package let isNegative: Bool
  /// The first 17 digits of the coefficient, which is filled with zeros at its end.
  let leading: UInt64
  /// The next 17 digits.
  let trailing: UInt64
  /// The digits that the number was written with, at least one.
  let precision: Int
  /// The power of ten of the last digit.
  let exponent: Int

  /// NaN, without a sign or a payload.
  package static let nan = Decimal128(.notANumber, isNegative: false)

  /// An infinity of either sign.
  package static func infinity(isNegative: Bool) -> Decimal128 {
    Decimal128(.infinite, isNegative: isNegative)
  }

  private init(_ kind: Kind, isNegative: Bool) {
    self.kind = kind
    self.isNegative = isNegative
    (leading, trailing, precision, exponent) = (0, 0, 1, 0)
  }

  /// A finite number; nil where it has too many digits, or an exponent out of range.
  ///
  /// - Parameters:
  ///   - digits: From 0 to 9, the most significant first; zeros in front do not count.
  ///   - exponent: The power of ten of the last digit.
  package init?(isNegative: Bool, digits: some Collection<UInt8>, exponent: Int) {
    var significant = Array(digits.drop { $0 == 0 })
    if significant.isEmpty { significant = [0] }
    var exponent = exponent
    // Zeros at the end give way where there are too many digits.
    while significant.count > Self.digits, significant.last == 0 {
      significant.removeLast()
      exponent += 1
    }
    let isZero = significant == [0]
    if isZero { exponent = min(max(exponent, Self.minimumExponent), Self.maximumExponent - 33) }
    // A coefficient is filled up where the exponent alone would be out of range.
    while !isZero, exponent > Self.maximumExponent - 33, significant.count < Self.digits {
      significant.append(0)
      exponent -= 1
    }
    while !isZero, exponent < Self.minimumExponent, significant.last == 0, significant.count > 1 {
      significant.removeLast()
      exponent += 1
    }
    guard significant.count <= Self.digits, exponent >= Self.minimumExponent,
      exponent + significant.count - 1 <= Self.maximumExponent
    else { return nil }
    kind = .finite
    self.isNegative = isNegative
    self.exponent = exponent
    precision = significant.count
    let filled = significant + [UInt8](repeating: 0, count: Self.digits - significant.count)
    leading = Self.number(filled[..<Self.wordDigits])
    trailing = Self.number(filled[Self.wordDigits...])
  }

  /// A finite number that is not zero, from its parts in order (`orderedParts`); nil where they are none.
  init?(isNegative: Bool, firstExponent: Int, leading: UInt64, trailing: UInt64) {
    guard leading >= Self.power(16), leading < Self.power(17), trailing < Self.power(17) else {
      return nil
    }
    var digits = Self.digits(of: leading) + Self.digits(of: trailing)
    while digits.last == 0 { digits.removeLast() }
    self.init(
      isNegative: isNegative,
      digits: digits,
      exponent: firstExponent - digits.count + 1
    )
  }

  /// The integer.
  package init(_ integer: Int64) {
    var digits: [UInt8] = []
    var rest = integer.magnitude
    while rest > 0 {
      digits.append(UInt8(rest % 10))
      rest /= 10
    }
    digits.reverse()
    if digits.isEmpty { digits = [0] }
    kind = .finite
    isNegative = integer < 0
    exponent = 0
    precision = digits.count
    let filled = digits + [UInt8](repeating: 0, count: Self.digits - digits.count)
    leading = Self.number(filled[..<Self.wordDigits])
    trailing = Self.number(filled[Self.wordDigits...])
  }

  /// True if this is zero, of either sign.
  package var isZero: Bool { kind == .finite && leading == 0 && trailing == 0 }

  /// The digits that the number was written with.
  var writtenDigits: [UInt8] {
    Array((Self.digits(of: leading) + Self.digits(of: trailing)).prefix(precision))
  }

  /// The power of ten of the first digit.
  var firstExponent: Int { exponent + precision - 1 }

  private static func number(_ digits: some Collection<UInt8>) -> UInt64 {
    digits.reduce(0) { $0 * 10 + UInt64($1) }
  }

  private static func digits(of word: UInt64) -> [UInt8] {
    var result = [UInt8](repeating: 0, count: wordDigits)
    var rest = word
    for index in result.indices.reversed() {
      result[index] = UInt8(rest % 10)
      rest /= 10
    }
    return result
  }

  private static func power(_ exponent: Int) -> UInt64 {
    (0..<exponent).reduce(1) { result, _ in result * 10 }
  }
}
