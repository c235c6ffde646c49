import BaseJSON
import BaseText
import Crypto
import CryptoExtras
import Foundation

/// Secrets of an export under a passphrase.
///
/// They are one JSON object with the members
///
///     format   "brasa-secrets 1"
///     salt     16 bytes
///     sealed   a nonce of 12 bytes, what is sealed, and a tag of 16 bytes
///
/// Bytes are base64url. The key is 32 bytes of scrypt (N 2^16, r 8, p 1) of the passphrase and the salt, the cipher AES-256-GCM
/// with the format as what it authenticates besides. It is valid where it opens; nothing of it can be mended.
struct SealedSecrets {
  /// The reason why secrets are not opened.
  enum Problem: Error, CustomStringConvertible {
    case malformed
    case wrongPassphrase
    case noPassphrase
    /// A part of the kind does not open, behind others that do.
    case damaged(String)
    /// The kind has no last part.
    case cutOff(String)

    var description: String {
      switch self {
      case .malformed: "The file contains no secrets of an export."
      case .wrongPassphrase: "The passphrase is wrong, or the file is damaged."
      case .noPassphrase:
        "Set BRASA_SECRETS_PASSPHRASE to at least \(SealedSecrets.shortest) characters, or name a file with --passphrase-file."
      case .damaged(let kind):
        "The export's secrets/\(kind) is damaged. Use another copy of the export, or leave it out: --exclude \(kind)"
      case .cutOff(let kind):
        "The export's secrets/\(kind) is incomplete. Use another copy of the export, or leave it out: --exclude \(kind)"
      }
    }
  }

  /// Characters of a passphrase at least.
  static let shortest = 12
  private static let format = "brasa-secrets 1"

  private let passphrase: String

  /// Secrets under a passphrase.
  init(passphrase: String) { self.passphrase = passphrase }

  /// Seals a text.
  func seal(_ text: String) throws -> String {
    let salt = SymmetricKey(size: .bits128).withUnsafeBytes { Array($0) }
    let box = try AES.GCM.seal(
      Array(text.utf8),
      using: try Self.key(of: passphrase, salt: salt),
      authenticating: Array(Self.format.utf8)
    )
    // A nonce of the usual length always has a combined form.
    let sealed = Array(box.nonce) + Array(box.ciphertext) + Array(box.tag)
    return JSONValue.object([
      .init("format", .string(Self.format)), .init("salt", .string(Base64.url(salt))),
      .init("sealed", .string(Base64.url(sealed))),
    ]).compact
  }

  /// Opens what was sealed.
  func open(_ text: String) throws -> String {
    guard let json = try? JSONValue(parsing: text), json["format"]?.string == Self.format,
      let salt = json["salt"]?.string.flatMap({ Base64.decode($0) }), salt.count == 16,
      let sealed = json["sealed"]?.string.flatMap({ Base64.decode($0) }), sealed.count >= 28
    else { throw Problem.malformed }
    do {
      let box = try AES.GCM.SealedBox(combined: sealed)
      let key = try Self.key(of: passphrase, salt: salt)
      let bytes = try AES.GCM.open(box, using: key, authenticating: Array(Self.format.utf8))
      return String(decoding: bytes, as: UTF8.self)
    } catch {
      throw Problem.wrongPassphrase
    }
  }

  /// The key of a passphrase and a salt, which takes a moment and 64 MiB.
  static func key(of passphrase: String, salt: [UInt8]) throws -> SymmetricKey {
    try KDF.Scrypt.deriveKey(
      from: Array(passphrase.utf8),
      salt: salt,
      outputByteCount: 32,
      rounds: 1 << 16,
      blockSize: 8,
      parallelism: 1
    )
  }
}
