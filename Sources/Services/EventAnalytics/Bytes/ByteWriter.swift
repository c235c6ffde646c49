// The encoding of numbers and texts in analytics records. A number is a varint (seven bits a byte,
// the lowest first), a signed one zigzag (0, -1, 1, -2, ...), a text its length and its UTF-8, a
// double eight bytes.

/// Builds a record without tags.
struct ByteWriter {
  private(set) var bytes: [UInt8] = []

  mutating func byte(_ byte: UInt8) { bytes.append(byte) }

  mutating func number(_ number: UInt64) {
    var rest = number
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }

  mutating func count(_ count: Int) { number(UInt64(count)) }

  mutating func signed(_ value: Int64) {
    number(UInt64(bitPattern: value << 1 ^ value >> 63))
  }

  mutating func text(_ text: String) {
    count(text.utf8.count)
    bytes.append(contentsOf: text.utf8)
  }

  mutating func double(_ value: Double) { fixed(value.bitPattern) }

  mutating func raw(_ content: [UInt8]) {
    count(content.count)
    bytes.append(contentsOf: content)
  }

  /// Eight bytes, the lowest first.
  mutating func fixed(_ number: UInt64) {
    withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
  }
}
