/// Base64 in both alphabets: RFC 4648's standard one with padding, and the URL-safe one without.
package enum Base64 {
  private static let standardAlphabet = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8
  )
  private static let urlAlphabet = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8
  )

  /// The URL-safe text, unpadded, as tokens have it.
  package static func url(_ bytes: some Collection<UInt8>) -> String {
    String(decoding: encode(bytes, urlAlphabet), as: UTF8.self)
  }

  /// The standard text, padded.
  package static func standard(_ bytes: some Collection<UInt8>) -> String {
    var text = encode(bytes, standardAlphabet)
    while text.count % 4 != 0 { text.append(UInt8(ascii: "=")) }
    return String(decoding: text, as: UTF8.self)
  }

  private static func encode(_ bytes: some Collection<UInt8>, _ alphabet: [UInt8]) -> [UInt8] {
    var text: [UInt8] = []
    text.reserveCapacity((bytes.count * 4 + 2) / 3 + 3)
    var bits: UInt32 = 0
    var count = 0
    for byte in bytes {
      bits = bits << 8 | UInt32(byte)
      count += 8
      while count >= 6 {
        count -= 6
        text.append(alphabet[Int(bits >> UInt32(count)) & 0x3F])
      }
    }
    if count > 0 { text.append(alphabet[Int(bits << UInt32(6 - count)) & 0x3F]) }
    return text
  }

  /// What a token's part stands for: the URL-safe alphabet, no padding, no stray bits; nil otherwise.
  static func decodeStrictly(_ text: some Collection<UInt8>) -> [UInt8]? {
    guard text.count % 4 != 1 else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count * 3 / 4)
    var bits: UInt32 = 0
    var count = 0
    for character in text {
      let digit = urlDigits[Int(character)]
      guard digit < 64 else { return nil }
      bits = bits << 6 | UInt32(digit)
      count += 6
      if count >= 8 {
        count -= 8
        bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
      }
    }
    guard bits & ((1 << UInt32(count)) - 1) == 0 else { return nil }
    return bytes
  }

  /// What people and tools mean by Base64: either alphabet, padded or not; nil for anything else.
  package static func decode(_ text: String) -> [UInt8]? {
    var characters = Array(text.utf8)
    while characters.last == UInt8(ascii: "=") { characters.removeLast() }
    for index in characters.indices {
      switch characters[index] {
      case UInt8(ascii: "+"): characters[index] = UInt8(ascii: "-")
      case UInt8(ascii: "/"): characters[index] = UInt8(ascii: "_")
      default: break
      }
    }
    return decodeStrictly(characters)
  }

  /// The value of each character of the URL-safe alphabet; 255 for the others.
  private static let urlDigits: [UInt8] = {
    var digits = [UInt8](repeating: 255, count: 256)
    for (value, character) in urlAlphabet.enumerated() { digits[Int(character)] = UInt8(value) }
    return digits
  }()
}
