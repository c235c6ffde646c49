import DocumentCodec

/// Percent-encoding of URLs.
enum PercentEncoding {
  /// Decodes a part of a URL; nil where an escape is malformed or the result is not UTF-8.
  ///
  /// In queries, a plus is a space.
  static func decode(_ text: Substring, plusIsSpace: Bool = false) -> String? {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.utf8.count)
    var units = text.utf8.makeIterator()
    while let unit = units.next() {
      if unit == UInt8(ascii: "%") {
        guard let high = units.next().flatMap(hexadecimalDigit),
          let low = units.next().flatMap(hexadecimalDigit)
        else { return nil }
        bytes.append(high << 4 | low)
      } else {
        bytes.append(plusIsSpace && unit == UInt8(ascii: "+") ? 0x20 : unit)
      }
    }
    return String(validating: bytes, as: UTF8.self)
  }
}
