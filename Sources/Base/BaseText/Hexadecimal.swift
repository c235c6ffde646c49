/// Bytes as pairs of hexadecimal digits.
package enum Hexadecimal {
  private static let lowercase = Array("0123456789abcdef".utf8)
  private static let uppercase = Array("0123456789ABCDEF".utf8)

  /// Two digits a byte.
  package static func text(
    _ bytes: some Sequence<UInt8>,
    uppercase isUppercase: Bool = false
  ) -> String {
    let digits = isUppercase ? uppercase : lowercase
    var text: [UInt8] = []
    text.reserveCapacity(2 * bytes.underestimatedCount)
    for byte in bytes {
      text.append(digits[Int(byte >> 4)])
      text.append(digits[Int(byte & 0xF)])
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// The value of a digit of either case; nil for any other byte.
  package static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case 0x30...0x39: byte - 0x30
    case 0x41...0x46: byte - 0x41 + 10
    case 0x61...0x66: byte - 0x61 + 10
    default: nil
    }
  }
}
