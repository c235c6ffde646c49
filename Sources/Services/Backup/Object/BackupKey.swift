import BaseText
import Crypto
import Foundation

/// The operator's key, from which each object's own is derived.
package struct BackupKey: Sendable {
  private let secret: SymmetricKey
  /// Eight bytes in hexadecimal that tell keys apart and nothing of them.
  package let fingerprint: String

  /// Reads the contents of a key file: 64 hexadecimal digits, or 32 bytes; throws where it has
  /// neither.
  package init(file bytes: [UInt8]) throws {
    let text = String(decoding: bytes, as: UTF8.self).trimmingCharacters(
      in: .whitespacesAndNewlines
    )
    if let read = Self.bytes(ofHexadecimal: text), read.count == 32 {
      self.init(read)
    } else if bytes.count == 32 {
      self.init(bytes)
    } else {
      throw BackupError(
        .wrongKey,
        "A backup's key file must contain 64 hexadecimal digits. Create one with: brasa backup key > FILE"
      )
    }
  }

  private init(_ bytes: [UInt8]) {
    secret = SymmetricKey(data: bytes)
    let derived = HKDF<SHA256>.deriveKey(
      inputKeyMaterial: secret,
      info: Array("brasa backup fingerprint".utf8),
      outputByteCount: 8
    )
    fingerprint = derived.withUnsafeBytes { Hexadecimal.text($0) }
  }

  /// The text of a new key file.
  package static func makeText() -> String {
    SymmetricKey(size: .bits256).withUnsafeBytes { Hexadecimal.text($0) }
  }

  /// The key of one object, whose salt no other object has.
  func key(salt: [UInt8]) -> SymmetricKey {
    HKDF<SHA256>.deriveKey(
      inputKeyMaterial: secret,
      salt: salt,
      info: Array("brasa backup object".utf8),
      outputByteCount: 32
    )
  }

  static func bytes(ofHexadecimal text: String) -> [UInt8]? {
    let digits = text.utf8.map(Hexadecimal.digit)
    guard digits.count.isMultiple(of: 2) else { return nil }
    var bytes: [UInt8] = []
    for index in stride(from: 0, to: digits.count, by: 2) {
      guard let high = digits[index], let low = digits[index + 1] else { return nil }
      bytes.append(high << 4 | low)
    }
    return bytes
  }
}
