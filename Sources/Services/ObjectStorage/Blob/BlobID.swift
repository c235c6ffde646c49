import BaseText

/// The name of a blob: 16 random bytes, chosen before its first byte is written and never used again.
package struct BlobID: Sendable, Hashable, CustomStringConvertible {
  /// 16 bytes.
  package let bytes: [UInt8]

  /// A blob's name by its bytes; nil for another length.
  package init?(_ bytes: [UInt8]) {
    guard bytes.count == 16 else { return nil }
    self.bytes = bytes
  }

  /// A blob's name by its hexadecimal text; nil for any other text.
  package init?(hexadecimal text: String) {
    let digits = text.utf8.map(Hexadecimal.digit)
    guard digits.count == 32 else { return nil }
    var bytes: [UInt8] = []
    for index in stride(from: 0, to: 32, by: 2) {
      guard let high = digits[index], let low = digits[index + 1] else { return nil }
      bytes.append(high << 4 | low)
    }
    self.bytes = bytes
  }

  private init(random: (UInt64, UInt64)) {
    bytes = withUnsafeBytes(of: random) { Array($0) }
  }

  /// A name that no other blob has.
  package static func random() -> BlobID {
    var source = SystemRandomNumberGenerator()
    return BlobID(random: (source.next(), source.next()))
  }

  /// 32 hexadecimal digits.
  package var description: String { Hexadecimal.text(bytes) }
}
