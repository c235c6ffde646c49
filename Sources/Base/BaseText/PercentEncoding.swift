/// Percent-encoding of URLs and forms.
package enum PercentEncoding {
  /// Decodes a part of a URL; nil where an escape is malformed or the result is not UTF-8.
  ///
  /// In queries, a plus is a space.
  package static func decode(_ text: Substring, plusIsSpace: Bool = false) -> String? {
    // Most parts have nothing to decode.
    guard text.utf8.contains(where: { $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "+") }) else {
      return String(text)
    }
    return bytes(text.utf8, plusIsSpace: plusIsSpace).flatMap {
      String(validating: $0, as: UTF8.self)
    }
  }

  /// Decodes a form's value, where a plus is a space; nil where an escape is malformed.
  package static func decodeForm(_ text: some Sequence<UInt8>) -> [UInt8]? {
    bytes(text, plusIsSpace: true)
  }

  /// Encodes a value for a URL or a form: everything but letters, digits and `-._~`.
  package static func encode(_ text: String) -> String {
    encode(text.utf8) { unit in
      switch unit {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "."),
        UInt8(ascii: "_"), UInt8(ascii: "~"):
        true
      default: false
      }
    }
  }

  /// Encodes all bytes but those that may stay.
  package static func encode(
    _ bytes: some Sequence<UInt8>,
    except mayStay: (UInt8) -> Bool
  ) -> String {
    var text = ""
    text.reserveCapacity(bytes.underestimatedCount)
    for unit in bytes {
      if mayStay(unit) {
        text.unicodeScalars.append(Unicode.Scalar(unit))
      } else {
        text += "%" + Hexadecimal.text(CollectionOfOne(unit), uppercase: true)
      }
    }
    return text
  }

  /// The query or form of those fields: `a=b&c=d`.
  package static func form(_ fields: [(String, String)]) -> String {
    fields.map { "\(encode($0.0))=\(encode($0.1))" }.joined(separator: "&")
  }

  private static func bytes(_ text: some Sequence<UInt8>, plusIsSpace: Bool) -> [UInt8]? {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.underestimatedCount)
    var units = text.makeIterator()
    while let unit = units.next() {
      if unit == UInt8(ascii: "%") {
        guard let high = units.next().flatMap(Hexadecimal.digit),
          let low = units.next().flatMap(Hexadecimal.digit)
        else { return nil }
        bytes.append(high << 4 | low)
      } else {
        bytes.append(plusIsSpace && unit == UInt8(ascii: "+") ? 0x20 : unit)
      }
    }
    return bytes
  }
}
