import BaseText

extension Hexadecimal {
  /// The bytes of pairs of digits; nil for any other text.
  static func bytes(_ text: String) -> [UInt8]? {
    let digits = text.utf8.map(digit)
    guard digits.count.isMultiple(of: 2) else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(digits.count / 2)
    for index in stride(from: 0, to: digits.count, by: 2) {
      guard let high = digits[index], let low = digits[index + 1] else { return nil }
      bytes.append(high << 4 | low)
    }
    return bytes
  }
}
