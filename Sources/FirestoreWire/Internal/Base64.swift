/// Base64 of RFC 4648: written in the standard alphabet, read in both.
package enum Base64 {
  private static let alphabet = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8
  )

  private static let values: [UInt8] = {
    var values = [UInt8](repeating: 0xFF, count: 256)
    for (value, letter) in alphabet.enumerated() { values[Int(letter)] = UInt8(value) }
    values[Int(UInt8(ascii: "-"))] = 62
    values[Int(UInt8(ascii: "_"))] = 63
    return values
  }()

  /// The standard form, padded on demand.
  package static func encode(_ bytes: [UInt8], padded: Bool = false) -> String {
    var text: [UInt8] = []
    text.reserveCapacity((bytes.count + 2) / 3 * 4)
    var index = 0
    while index < bytes.count {
      let taken = min(3, bytes.count - index)
      var group: UInt32 = 0
      for offset in 0..<3 {
        group = group << 8 | (offset < taken ? UInt32(bytes[index + offset]) : 0)
      }
      for place in 0...taken {
        text.append(alphabet[Int(group >> (18 - 6 * UInt32(place)) & 0x3F)])
      }
      if padded { for _ in taken..<3 { text.append(UInt8(ascii: "=")) } }
      index += 3
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// Reads either alphabet, padded or not; nil for anything else.
  package static func decode(_ text: some Collection<UInt8>) -> [UInt8]? {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count / 4 * 3 + 2)
    var group: UInt32 = 0
    var letters = 0
    var padding = 0
    for letter in text {
      if letter == UInt8(ascii: "=") {
        padding += 1
        continue
      }
      let value = values[Int(letter)]
      guard value != 0xFF, padding == 0 else { return nil }
      group = group << 6 | UInt32(value)
      letters += 1
      if letters.isMultiple(of: 4) {
        for shift: UInt32 in [16, 8, 0] { bytes.append(UInt8(group >> shift & 0xFF)) }
        group = 0
      }
    }
    let rest = letters % 4
    guard rest != 1, padding == 0 || rest + padding == 4 || (rest == 0 && padding == 0)
    else { return nil }
    if rest == 2 { bytes.append(UInt8(group >> 4 & 0xFF)) }
    if rest == 3 {
      bytes.append(UInt8(group >> 10 & 0xFF))
      bytes.append(UInt8(group >> 2 & 0xFF))
    }
    return bytes
  }
}
