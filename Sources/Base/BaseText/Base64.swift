/// Base64 of RFC 4648 in both alphabets.
package enum Base64 {
  private static let standardAlphabet = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8
  )
  private static let urlAlphabet = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8
  )

  /// The value of each character of the URL-safe alphabet; 255 for the others.
  private static let urlDigits: [UInt8] = {
    var digits = [UInt8](repeating: 255, count: 256)
    for (value, character) in urlAlphabet.enumerated() { digits[Int(character)] = UInt8(value) }
    return digits
  }()

  /// The same of both alphabets.
  private static let digits: [UInt8] = {
    var digits = urlDigits
    digits[Int(UInt8(ascii: "+"))] = 62
    digits[Int(UInt8(ascii: "/"))] = 63
    return digits
  }()

  /// The standard text.
  package static func standard(_ bytes: some Collection<UInt8>, padded: Bool = true) -> String {
    encode(bytes, standardAlphabet, padded)
  }

  /// The URL-safe text; tokens have it without padding.
  package static func url(_ bytes: some Collection<UInt8>, padded: Bool = false) -> String {
    encode(bytes, urlAlphabet, padded)
  }

  /// Decodes Base64 as people and tools write it: either alphabet, padded or not; nil for anything
  /// else.
  package static func decode(_ text: some Collection<UInt8>) -> [UInt8]? {
    var letters = Array(text)
    while letters.last == UInt8(ascii: "=") { letters.removeLast() }
    let isPadded = letters.count < text.count
    guard !isPadded || (text.count.isMultiple(of: 4) && text.count - letters.count < 3) else {
      return nil
    }
    return bytes(letters, digits)?.bytes
  }

  /// The same of a string.
  package static func decode(_ text: String) -> [UInt8]? { decode(text.utf8) }

  /// Decodes a part of a token: the URL-safe alphabet, no padding, no excess bits; nil otherwise.
  package static func decodeStrictly(_ text: some Collection<UInt8>) -> [UInt8]? {
    guard let (bytes, strayBits) = bytes(text, urlDigits), strayBits == 0 else { return nil }
    return bytes
  }

  private static func encode(
    _ bytes: some Collection<UInt8>,
    _ alphabet: [UInt8],
    _ isPadded: Bool
  ) -> String {
    withBytes(of: bytes) { bytes in
      String(unsafeUninitializedCapacity: (bytes.count + 2) / 3 * 4) { text in
        var end = 0
        var bits: UInt32 = 0
        var count = 0
        func append(_ letter: UInt8) {
          text[end] = letter
          end += 1
        }
        for byte in bytes {
          bits = bits << 8 | UInt32(byte)
          count += 8
          while count >= 6 {
            count -= 6
            append(alphabet[Int(bits >> UInt32(count)) & 0x3F])
          }
        }
        if count > 0 { append(alphabet[Int(bits << UInt32(6 - count)) & 0x3F]) }
        while isPadded, !end.isMultiple(of: 4) { append(UInt8(ascii: "=")) }
        return end
      }
    }
  }

  /// Returns the bytes that the letters stand for, and the bits that make no byte.
  private static func bytes(
    _ text: some Collection<UInt8>,
    _ digits: [UInt8]
  ) -> (bytes: [UInt8], strayBits: UInt32)? {
    withBytes(of: text) { text in
      guard text.count % 4 != 1 else { return nil }
      var bits: UInt32 = 0
      var count = 0
      var isGood = true
      let bytes = [UInt8](unsafeUninitializedCapacity: text.count * 3 / 4) { bytes, end in
        for letter in text {
          let digit = digits[Int(letter)]
          guard digit < 64 else {
            isGood = false
            return
          }
          bits = bits << 6 | UInt32(digit)
          count += 6
          if count >= 8 {
            count -= 8
            bytes[end] = UInt8(truncatingIfNeeded: bits >> UInt32(count))
            end += 1
          }
        }
      }
      return isGood ? (bytes, bits & ((1 << UInt32(count)) - 1)) : nil
    }
  }

  /// Lends the bytes where they lie: a collection of another target costs a call an element.
  private static func withBytes<R>(
    of bytes: some Collection<UInt8>,
    _ body: (UnsafeBufferPointer<UInt8>) -> R
  ) -> R {
    bytes.withContiguousStorageIfAvailable(body)
      ?? Array(bytes).withUnsafeBufferPointer(body)
  }
}
