import Crypto

/// Time-based one-time passwords (RFC 6238): SHA-1, thirty seconds, six digits.
package enum TOTP {
  /// Seconds that a step lasts.
  package static let period: Int64 = 30
  /// Digits of a code.
  package static let digits = 6

  /// The code of a step.
  static func code(secret: [UInt8], step: Int64, digits: Int = digits) -> String {
    var message: [UInt8] = []
    for shift in stride(from: 56, through: 0, by: -8) {
      message.append(UInt8(truncatingIfNeeded: step >> Int64(shift)))
    }
    let key = SymmetricKey(data: secret)
    let mac = Array(HMAC<Insecure.SHA1>.authenticationCode(for: message, using: key))
    let offset = Int(mac[mac.count - 1] & 0x0F)
    let number = mac[offset..<(offset + 4)].reduce(UInt32(0)) { $0 << 8 | UInt32($1) } & 0x7FFF_FFFF
    var modulus: UInt32 = 1
    for _ in 0..<digits { modulus *= 10 }
    let text = String(number % modulus)
    return String(repeating: "0", count: max(0, digits - text.count)) + text
  }

  /// The step around that time whose code it is, later than `last`; nil when there is none.
  package static func step(
    of code: String,
    secret: [UInt8],
    at seconds: Int64,
    adjacent: Int,
    after last: Int64
  ) -> Int64? {
    let now = seconds / period
    let given = Array(code.utf8)
    var found: Int64?
    for step in (now - Int64(adjacent))...(now + Int64(adjacent)) where step > last {
      let isRight = ConstantTime.areEqual(Array(self.code(secret: secret, step: step).utf8), given)
      if isRight, found == nil { found = step }
    }
    return found
  }

  /// The secret as authenticator programs take it: RFC 4648's Base32, without padding.
  package static func base32(_ bytes: [UInt8]) -> String {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)
    var text: [UInt8] = []
    var bits: UInt32 = 0
    var count: UInt32 = 0
    for byte in bytes {
      bits = bits << 8 | UInt32(byte)
      count += 8
      while count >= 5 {
        count -= 5
        text.append(alphabet[Int(bits >> count & 31)])
      }
    }
    if count > 0 { text.append(alphabet[Int(bits << (5 - count) & 31)]) }
    return String(decoding: text, as: UTF8.self)
  }
}
