import BaseText

// Exact comparisons: no number is rounded to another type's precision.

extension Decimal128 {
  /// The order by number; NaN comes first, both zeros are equal.
  package func compare(_ other: Decimal128) -> Ordering {
    let (left, right) = (magnitudeClass, other.magnitudeClass)
    guard left == right else { return Ordering(left, right) }
    guard kind == .finite, !isZero else { return .equal }
    let byMagnitude = Ordering(firstExponent, other.firstExponent)
      .or(Ordering(leading, other.leading)).or(Ordering(trailing, other.trailing))
    return isNegative ? byMagnitude.reversed : byMagnitude
  }

  /// The order relative to a double, by exact value.
  package func compare(_ double: Double) -> Ordering {
    if kind == .notANumber || double.isNaN {
      return Ordering(kind == .notANumber ? 0 : 1, double.isNaN ? 0 : 1)
    }
    let nearest = self.nearest
    if nearest != double { return nearest < double ? .ascending : .descending }
    if kind == .infinite { return .equal }
    // A finite number that rounds to an infinity is closer to zero than it.
    if double.isInfinite { return double > 0 ? .ascending : .descending }
    if double == 0 { return isZero ? .equal : isNegative ? .ascending : .descending }
    let exact = ExactDouble(double.magnitude)
    let byMagnitude = Ordering(firstExponent, exact.firstExponent)
      .or(Self.compare(writtenDigits, exact.digits))
    return isNegative ? byMagnitude.reversed : byMagnitude
  }

  /// The nearest double, an infinity for values beyond all of them.
  package var nearest: Double {
    switch kind {
    case .notANumber: .nan
    case .infinite: isNegative ? -.infinity : .infinity
    case .finite: isZero ? (isNegative ? -0.0 : 0) : Double(text) ?? .nan
    }
  }

  /// The integer of the same value; nil where there is none.
  package var exactInteger: Int64? {
    guard kind == .finite else { return nil }
    if isZero { return 0 }
    guard let whole = floor, compare(Decimal128(whole)) == .equal else { return nil }
    return whole
  }

  /// The double of the same value; nil where there is none, as for 0.1.
  package var exactDouble: Double? {
    if kind == .notANumber { return .nan }
    let nearest = self.nearest
    return compare(nearest) == .equal ? nearest : nil
  }

  /// The same number with the fewest digits, so that equal ones are identical.
  package var reduced: Decimal128 {
    guard kind == .finite else { return self }
    if isZero { return Decimal128(0) }
    let parts = Decimal128(
      isNegative: isNegative,
      firstExponent: firstExponent,
      leading: orderedParts.leading,
      trailing: orderedParts.trailing
    )
    return parts ?? self
  }

  /// The largest integer that is not above the number; nil outside of int64's range.
  var floor: Int64? {
    guard kind == .finite, firstExponent <= 18 else { return nil }
    if isZero { return 0 }
    let digits = writtenDigits
    let count = firstExponent + 1
    var whole: Int64 = 0
    for index in 0..<max(count, 0) {
      let digit = Int64(index < digits.count ? digits[index] : 0)
      let (product, isTooLarge) = whole.multipliedReportingOverflow(by: 10)
      let (sum, isOver) =
        isNegative
        ? product.subtractingReportingOverflow(digit) : product.addingReportingOverflow(digit)
      if isTooLarge || isOver { return nil }
      whole = sum
    }
    let hasFraction = digits.dropFirst(max(count, 0)).contains { $0 != 0 }
    guard isNegative, hasFraction else { return whole }
    let (below, isTooSmall) = whole.subtractingReportingOverflow(1)
    return isTooSmall ? nil : below
  }

  /// The coefficient of exactly 34 digits of a number that is not zero, the first of them not zero.
  var orderedParts: (leading: UInt64, trailing: UInt64) { (leading, trailing) }

  /// NaN, -∞, negative, zero, positive, ∞.
  private var magnitudeClass: Int {
    switch kind {
    case .notANumber: -3
    case .infinite: isNegative ? -2 : 2
    case .finite: isZero ? 0 : isNegative ? -1 : 1
    }
  }

  /// Compares digits after the point, zeros being behind the last ones.
  private static func compare(_ left: [UInt8], _ right: [UInt8]) -> Ordering {
    for index in 0..<max(left.count, right.count) {
      let first = index < left.count ? left[index] : 0
      let second = index < right.count ? right[index] : 0
      if first != second { return Ordering(first, second) }
    }
    return .equal
  }
}

/// All digits of a positive finite double: each has an end.
struct ExactDouble {
  let digits: [UInt8]
  let firstExponent: Int

  init(_ double: Double) {
    // double = significand · 2^exponent, and 2^-n = 5^n · 10^-n.
    let stored = Int(double.exponentBitPattern)
    var significand = double.significandBitPattern | (stored == 0 ? 0 : 1 << 52)
    var exponent = max(stored, 1) - 1_075
    while significand & 1 == 0, exponent < 0 {
      significand >>= 1
      exponent += 1
    }
    var limbs = Limbs(significand)
    for _ in 0..<abs(exponent) { limbs.multiply(by: exponent < 0 ? 5 : 2) }
    digits = limbs.digits
    firstExponent = digits.count - 1 + min(exponent, 0)
  }
}

/// A large integer in base 1,000,000,000, the lowest limb first.
private struct Limbs {
  private static let base: UInt64 = 1_000_000_000
  private var limbs: [UInt64] = []

  init(_ number: UInt64) {
    var rest = number
    repeat {
      limbs.append(rest % Self.base)
      rest /= Self.base
    } while rest > 0
  }

  mutating func multiply(by factor: UInt64) {
    var carry: UInt64 = 0
    for index in limbs.indices {
      let product = limbs[index] * factor + carry
      limbs[index] = product % Self.base
      carry = product / Self.base
    }
    if carry > 0 { limbs.append(carry) }
  }

  /// Without zeros in front.
  var digits: [UInt8] {
    var result: [UInt8] = []
    for limb in limbs {
      var rest = limb
      for _ in 0..<9 {
        result.append(UInt8(rest % 10))
        rest /= 10
      }
    }
    while result.count > 1, result.last == 0 { result.removeLast() }
    return result.reversed()
  }
}
