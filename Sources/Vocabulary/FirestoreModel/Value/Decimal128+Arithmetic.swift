// Arithmetic of IEEE 754: an exact result is rounded to 34 digits, a half to the even digit. Results beyond all numbers
// are infinite, and operations without a result give NaN.

extension Decimal128 {
  /// The decimal nearest to a double's exact value.
  package init(nearestTo double: Double) {
    let isNegative = double.sign == .minus
    if double.isNaN {
      self = .nan
    } else if double.isInfinite {
      self = .infinity(isNegative: isNegative)
    } else if double == 0 {
      self = .nearest(isNegative, [0], 0)
    } else {
      let exact = ExactDouble(double.magnitude)
      self = .nearest(isNegative, exact.digits, exact.firstExponent - exact.digits.count + 1)
    }
  }

  /// The number without its sign.
  package var magnitude: Decimal128 { isNegative ? -self : self }

  /// The number of the other sign; NaN has none.
  package static prefix func - (number: Decimal128) -> Decimal128 {
    switch number.kind {
    case .notANumber: .nan
    case .infinite: .infinity(isNegative: !number.isNegative)
    case .finite: .nearest(!number.isNegative, number.writtenDigits, number.exponent)
    }
  }

  /// The sum; NaN for infinities of both signs.
  package static func + (left: Decimal128, right: Decimal128) -> Decimal128 {
    guard left.kind == .finite, right.kind == .finite else {
      if left.kind == .notANumber || right.kind == .notANumber { return .nan }
      let isOpposed = left.kind == right.kind && left.isNegative != right.isNegative
      return isOpposed ? .nan : left.kind == .infinite ? left : right
    }
    if left.isZero || right.isZero { return sumWithZero(left, right) }
    let (high, low) = left.firstExponent >= right.firstExponent ? (left, right) : (right, left)
    var (digits, exponent) = (low.writtenDigits, low.exponent)
    // A number far below the other's digits only decides the direction of rounding.
    let lowest = min(high.exponent, high.firstExponent - Self.digits - 1)
    if low.firstExponent < lowest - 1 { (digits, exponent) = ([1], lowest - 2) }
    let last = min(high.exponent, exponent)
    return sum(
      (high.isNegative, high.writtenDigits + zeros(high.exponent - last)),
      (low.isNegative, digits + zeros(exponent - last)),
      exponent: last
    )
  }

  /// The difference.
  package static func - (left: Decimal128, right: Decimal128) -> Decimal128 { left + -right }

  /// The product; NaN for zero and an infinity.
  package static func * (left: Decimal128, right: Decimal128) -> Decimal128 {
    let isNegative = left.isNegative != right.isNegative
    guard left.kind == .finite, right.kind == .finite else {
      let hasNone = left.kind == .notANumber || right.kind == .notANumber
      return hasNone || left.isZero || right.isZero ? .nan : .infinity(isNegative: isNegative)
    }
    let digits = DecimalDigits.product(left.writtenDigits, right.writtenDigits)
    return nearest(isNegative, digits, left.exponent + right.exponent)
  }

  /// The quotient: an infinity for zero as the divisor; NaN for two zeros or two infinities.
  package static func / (left: Decimal128, right: Decimal128) -> Decimal128 {
    let isNegative = left.isNegative != right.isNegative
    switch (left.kind, right.kind) {
    case (.notANumber, _), (_, .notANumber), (.infinite, .infinite): return .nan
    case (.infinite, .finite): return .infinity(isNegative: isNegative)
    case (.finite, .infinite): return nearest(isNegative, [0], minimumExponent)
    case (.finite, .finite): break
    }
    let exponent = left.exponent - right.exponent
    if right.isZero { return left.isZero ? .nan : .infinity(isNegative: isNegative) }
    if left.isZero { return nearest(isNegative, [0], exponent) }
    // Enough digits to round, and one that says whether anything follows.
    let scale = max(0, Self.digits + 2 + right.precision - left.precision)
    var (quotient, rest) = DecimalDigits.divided(
      left.writtenDigits + zeros(scale),
      by: right.writtenDigits
    )
    guard rest.isEmpty else { return nearest(isNegative, quotient + [1], exponent - scale - 1) }
    var dropped = 0
    while dropped < scale, quotient.last == 0 {
      quotient.removeLast()
      dropped += 1
    }
    return nearest(isNegative, quotient, exponent - scale + dropped)
  }

  /// The rest of a division truncated towards zero, with the dividend's sign; NaN for a divisor of zero.
  package static func % (left: Decimal128, right: Decimal128) -> Decimal128 {
    guard left.kind == .finite, right.kind != .notANumber, !right.isZero else { return .nan }
    let isLess = left.magnitude.compare(right.magnitude) == .ascending
    if isLess || right.kind == .infinite { return left }
    let exponent = min(left.exponent, right.exponent)
    let divisor = right.writtenDigits + zeros(right.exponent - exponent)
    let power = DecimalDigits.powerOfTen(left.exponent - exponent, modulo: divisor)
    let digits = DecimalDigits.product(left.writtenDigits, power)
    return nearest(left.isNegative, DecimalDigits.divided(digits, by: divisor).rest, exponent)
  }

  /// The number with so many digits behind the point; with fewer in front of it where `places` is negative.
  package func rounded(_ rule: FloatingPointRoundingRule, places: Int = 0) -> Decimal128 {
    guard kind == .finite, places < -exponent else { return self }
    // No number has a digit further away.
    let last = min(-places, Self.maximumExponent + 2)
    let digits = DecimalDigits.rounded(writtenDigits, last - exponent, rule, isNegative)
    return Self.nearest(isNegative, digits, last)
  }

  /// The number of those digits, rounded.
  private static func nearest(
    _ isNegative: Bool,
    _ digits: [UInt8],
    _ exponent: Int
  ) -> Decimal128 {
    var digits = Array(digits.drop { $0 == 0 })
    var exponent = exponent
    let excess = max(digits.count - Self.digits, minimumExponent - exponent)
    if !digits.isEmpty, excess > 0 {
      digits = DecimalDigits.rounded(digits, excess, .toNearestOrEven, isNegative)
      exponent += excess
    }
    return Decimal128(isNegative: isNegative, digits: digits, exponent: exponent)
      ?? .infinity(isNegative: isNegative)
  }

  /// A sum of which one operand is zero: it only adds digits.
  private static func sumWithZero(_ left: Decimal128, _ right: Decimal128) -> Decimal128 {
    let exponent = min(left.exponent, right.exponent)
    if left.isZero, right.isZero {
      return nearest(left.isNegative && right.isNegative, [0], exponent)
    }
    let number = left.isZero ? right : left
    let last = max(exponent, number.firstExponent - digits + 1)
    return nearest(number.isNegative, number.writtenDigits + zeros(number.exponent - last), last)
  }

  private static func sum(
    _ left: (isNegative: Bool, digits: [UInt8]),
    _ right: (isNegative: Bool, digits: [UInt8]),
    exponent: Int
  ) -> Decimal128 {
    let (first, second) = DecimalDigits.aligned(left.digits, right.digits)
    if left.isNegative == right.isNegative {
      return nearest(left.isNegative, DecimalDigits.sum(first, second), exponent)
    }
    if first == second { return nearest(false, [0], exponent) }
    let isLess = first.lexicographicallyPrecedes(second)
    let digits =
      isLess ? DecimalDigits.difference(second, first) : DecimalDigits.difference(first, second)
    return nearest(isLess ? right.isNegative : left.isNegative, digits, exponent)
  }

  private static func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }
}

/// Arithmetic on decimal digits, the most significant first.
private enum DecimalDigits {
  /// Both with as many digits.
  static func aligned(_ left: [UInt8], _ right: [UInt8]) -> ([UInt8], [UInt8]) {
    let count = max(left.count, right.count)
    func filled(_ digits: [UInt8]) -> [UInt8] {
      [UInt8](repeating: 0, count: count - digits.count) + digits
    }
    return (filled(left), filled(right))
  }

  /// The sum of numbers with as many digits.
  static func sum(_ left: [UInt8], _ right: [UInt8]) -> [UInt8] {
    var result = left
    var carry: UInt8 = 0
    for index in left.indices.reversed() {
      let digit = left[index] + right[index] + carry
      carry = digit / 10
      result[index] = digit % 10
    }
    return carry == 0 ? result : [carry] + result
  }

  /// The difference of numbers with as many digits, the first not less than the second.
  static func difference(_ left: [UInt8], _ right: [UInt8]) -> [UInt8] {
    var result = left
    var borrow: UInt8 = 0
    for index in left.indices.reversed() {
      let digit = 10 + left[index] - right[index] - borrow
      borrow = digit < 10 ? 1 : 0
      result[index] = digit % 10
    }
    return result
  }

  /// The product, zeros in front included.
  static func product(_ left: [UInt8], _ right: [UInt8]) -> [UInt8] {
    var sums = [Int](repeating: 0, count: left.count + right.count)
    for (high, first) in left.enumerated() {
      for (low, second) in right.enumerated() { sums[high + low + 1] += Int(first) * Int(second) }
    }
    var carry = 0
    for index in sums.indices.reversed() {
      let digit = sums[index] + carry
      carry = digit / 10
      sums[index] = digit % 10
    }
    return sums.map { UInt8($0) }
  }

  /// The quotient, zeros in front included, and the rest without them.
  static func divided(_ digits: [UInt8], by divisor: [UInt8]) -> (quotient: [UInt8], rest: [UInt8])
  {
    var quotient: [UInt8] = []
    var rest: [UInt8] = []
    for digit in digits {
      if digit != 0 || !rest.isEmpty { rest.append(digit) }
      var times: UInt8 = 0
      while rest.count > divisor.count
        || rest.count == divisor.count && !rest.lexicographicallyPrecedes(divisor)
      {
        let (left, right) = aligned(rest, divisor)
        rest = Array(difference(left, right).drop { $0 == 0 })
        times += 1
      }
      quotient.append(times)
    }
    return (quotient, rest)
  }

  /// The rest of a power of ten divided by a number.
  static func powerOfTen(_ exponent: Int, modulo divisor: [UInt8]) -> [UInt8] {
    var result: [UInt8] = [1]
    var square: [UInt8] = [1, 0]
    var exponent = exponent
    while exponent > 0 {
      if exponent % 2 == 1 { result = divided(product(result, square), by: divisor).rest }
      square = divided(product(square, square), by: divisor).rest
      exponent /= 2
    }
    return result
  }

  /// Digits without the last ones, which may be more than there are.
  static func rounded(
    _ digits: [UInt8],
    _ dropped: Int,
    _ rule: FloatingPointRoundingRule,
    _ isNegative: Bool
  ) -> [UInt8] {
    let kept = Array(digits.dropLast(dropped))
    let rest = digits.dropFirst(kept.count)
    let first = dropped > digits.count ? 0 : rest.first ?? 0
    let isExact = rest.allSatisfy { $0 == 0 }
    let isHalf = first == 5 && rest.dropFirst().allSatisfy { $0 == 0 }
    let isUp =
      switch rule {
      case .toNearestOrEven: first >= 5 && !(isHalf && (kept.last ?? 0) % 2 == 0)
      case .toNearestOrAwayFromZero: first >= 5
      case .up: !isExact && !isNegative
      case .down: !isExact && isNegative
      case .awayFromZero: !isExact
      default: false
      }
    guard isUp else { return kept }
    let (left, right) = aligned(kept, [1])
    return sum(left, right)
  }
}
