import Crypto

/// A code that replaces the second factor once, for a user who has lost the device with it.
///
/// It has 80 random bits, as sixteen characters of Base32 in groups of four. The store keeps its
/// SHA-256 digest alone: a code of this many bits can't be found by trying, so no slow hash is
/// needed.
package enum RecoveryCode {
  /// The number of codes that are made at a time.
  package static let count = 10

  private static let length = 16

  /// A new code.
  static func make(_ random: RandomBytes) -> String {
    let letters = Array(TOTP.base32(random.bytes(10)).lowercased().utf8)
    return stride(from: 0, to: length, by: 4).map { start in
      String(decoding: letters[start..<(start + 4)], as: UTF8.self)
    }.joined(separator: "-")
  }

  /// Returns the stored digest of a code, however it was typed; nil for other texts, such as a
  /// time-based code.
  static func digest(_ typed: String) -> [UInt8]? {
    let letters = typed.lowercased().utf8.filter {
      $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: " ")
    }
    guard letters.count == length else { return nil }
    return Array(SHA256.hash(data: letters))
  }

  /// Returns true if a text has the form of a code.
  package static func isForm(of typed: String) -> Bool { digest(typed) != nil }
}
