import BaseText

// Values of BSON types. Numbers among them take the encoding of a number of the same value, if there is one.

extension OrderedEncoding {
  /// The bytes behind the mark of a decimal.
  static let decimalLength = 18
  private static let exponentBias = 8_192

  /// Appends a value of a BSON type in full, ascending.
  package static func appendBSON(_ value: BSONValue, to bytes: inout [UInt8]) -> ValueTag {
    switch value {
    case .minKey: bytes.append(Tag.minKey)
    case .maxKey: bytes.append(Tag.maxKey)
    case .int32(let number):
      _ = appendInteger(Int64(number), to: &bytes)
      return .lossy
    case .decimal(let number):
      appendDecimal(number, to: &bytes)
      return .lossy
    case .objectID(let id):
      bytes.append(Tag.objectID)
      appendBigEndian(id.high, to: &bytes)
      appendBigEndian(id.low, to: &bytes)
    case .timestamp(let time):
      bytes.append(Tag.bsonTimestamp)
      appendBigEndian(time.seconds, to: &bytes)
      appendBigEndian(time.increment, to: &bytes)
    case .binary(let subtype, let content):
      bytes.append(Tag.binary)
      bytes.append(subtype)
      content.withUnsafeBytes { SegmentEncoding.appendEscaped($0, to: &bytes) }
    case .regex(let pattern, let options):
      bytes.append(Tag.regex)
      pattern.withBytes { SegmentEncoding.appendEscaped($0, to: &bytes) }
      options.withBytes { SegmentEncoding.appendEscaped($0, to: &bytes) }
    }
    return .exact
  }

  private static func appendDecimal(_ number: Decimal128, to bytes: inout [UInt8]) {
    if let integer = number.exactInteger {
      _ = appendInteger(integer, to: &bytes)
      return
    }
    let nearest = number.nearest
    let order = number.compare(nearest)
    if order == .equal {
      _ = appendDouble(nearest, to: &bytes)
      return
    }
    let below = order == .ascending ? nearest.nextDown : nearest
    bytes.append(Tag.number)
    appendBigEndian(orderedBits(below), to: &bytes)
    if abs(below) >= 0x1p53 {
      let whole = Int64(exactly: below)
      let remainder = whole.flatMap { whole in number.floor.map { $0 &- whole } } ?? 0
      bytes.append(UInt8(truncatingIfNeeded: remainder >> 8))
      bytes.append(UInt8(truncatingIfNeeded: remainder))
    }
    bytes.append(Tag.decimal)
    let start = bytes.count
    let parts = number.orderedParts
    let exponent = UInt16(truncatingIfNeeded: number.firstExponent + exponentBias)
    bytes.append(UInt8(exponent >> 8))
    bytes.append(UInt8(exponent & 0xFF))
    appendBigEndian(parts.leading, to: &bytes)
    appendBigEndian(parts.trailing, to: &bytes)
    if number.isNegative { invert(&bytes, from: start) }
  }

  /// Reads what follows the mark of a decimal, and passes it.
  static func decodeDecimal(
    _ bytes: UnsafeRawBufferPointer,
    at position: inout Int,
    isNegative: Bool
  ) -> Decimal128? {
    guard bytes.count - position >= decimalLength else { return nil }
    let mask: UInt64 = isNegative ? .max : 0
    let raw = UInt16(bytes[position]) << 8 | UInt16(bytes[position + 1])
    position += 2
    guard let leading = readBigEndian(bytes, at: &position),
      let trailing = readBigEndian(bytes, at: &position)
    else { return nil }
    return Decimal128(
      isNegative: isNegative,
      firstExponent: Int(raw ^ UInt16(truncatingIfNeeded: mask)) - exponentBias,
      leading: leading ^ mask,
      trailing: trailing ^ mask
    )
  }

  private static func appendBigEndian(_ number: UInt32, to bytes: inout [UInt8]) {
    withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
  }

  private static func appendBigEndian(_ number: UInt64, to bytes: inout [UInt8]) {
    withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
  }
}
