import DocumentCodec

/// Percent-encoding of URLs.
package enum PercentEncoding {
  /// Decodes a part of a URL; nil where an escape is malformed or the result is not UTF-8.
  ///
  /// In queries, a plus is a space.
  package static func decode(_ text: Substring, plusIsSpace: Bool = false) -> String? {
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

  /// Encodes a value for a URL's query: everything but letters, digits and `-._~`.
  package static func encode(_ text: String) -> String {
    let hexadecimal = Array("0123456789ABCDEF".utf8)
    var bytes: [UInt8] = []
    for unit in text.utf8 {
      switch unit {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "."),
        UInt8(ascii: "_"), UInt8(ascii: "~"):
        bytes.append(unit)
      default:
        bytes += [UInt8(ascii: "%"), hexadecimal[Int(unit >> 4)], hexadecimal[Int(unit & 0xF)]]
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
