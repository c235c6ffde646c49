extension Decimal128 {
  /// Reads a number as clients write it: digits with a point and an exponent, `inf`, `Infinity` or `NaN`.
  ///
  /// Nil for other texts, and for numbers with more than 34 digits or an exponent out of range.
  package init?(_ text: String) {
    var rest = Array(text.utf8)[...]
    var isNegative = false
    if let sign = rest.first, sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") {
      isNegative = sign == UInt8(ascii: "-")
      rest.removeFirst()
    }
    switch String(decoding: rest, as: UTF8.self).lowercased() {
    case "inf", "infinity":
      self = .infinity(isNegative: isNegative)
      return
    case "nan", "snan":
      self = .nan
      return
    default: break
    }
    guard let parts = Self.parts(rest) else { return nil }
    self.init(isNegative: isNegative, digits: parts.digits, exponent: parts.exponent)
  }

  /// The one spelling of the number, as IEEE 754 and Python's `Decimal` have it: `0.10`, `1E+3`, `Infinity`.
  package var text: String {
    let sign = isNegative ? "-" : ""
    switch kind {
    case .notANumber: return "NaN"
    case .infinite: return sign + "Infinity"
    case .finite: break
    }
    let digits = String(decoding: writtenDigits.map { $0 + UInt8(ascii: "0") }, as: UTF8.self)
    let first = firstExponent
    if exponent == 0 { return sign + digits }
    if exponent < 0, first >= -6 {
      let point = digits.count + exponent
      if point > 0 { return sign + digits.prefix(point) + "." + digits.dropFirst(point) }
      return sign + "0." + String(repeating: "0", count: -point) + digits
    }
    let fraction = digits.count > 1 ? "." + digits.dropFirst() : ""
    return sign + digits.prefix(1) + fraction + "E" + (first < 0 ? "" : "+") + "\(first)"
  }

  /// The digits of a number without its sign, and the power of ten of the last one.
  private static func parts(_ text: ArraySlice<UInt8>) -> (digits: [UInt8], exponent: Int)? {
    var digits: [UInt8] = []
    var scale = 0
    var hasPoint = false
    var index = text.startIndex
    scan: while index < text.endIndex {
      switch text[index] {
      case UInt8(ascii: "0")...UInt8(ascii: "9"):
        digits.append(text[index] - UInt8(ascii: "0"))
        if hasPoint { scale += 1 }
      case UInt8(ascii: "."):
        if hasPoint { return nil }
        hasPoint = true
      default: break scan
      }
      index += 1
    }
    guard !digits.isEmpty else { return nil }
    if index == text.endIndex { return (digits, -scale) }
    guard text[index] == UInt8(ascii: "e") || text[index] == UInt8(ascii: "E"),
      let written = Int(String(decoding: text[(index + 1)...], as: UTF8.self)),
      abs(written) <= 100_000
    else { return nil }
    return (digits, written - scale)
  }
}
