import BaseText

/// The secret from which an installation's id is derived, so that its maker can prove it: the
/// server gives tokens to no client that only names an id.
package struct InstallationSecret: Sendable {
  /// The id: 17 bytes of the SHA-256 of the secret in URL-safe base64, of which the first four bits are 0111.
  package let id: String
  /// The secret: 32 bytes in URL-safe base64.
  package let text: String

  /// The secret of those 32 bytes.
  init(_ bytes: [UInt8]) {
    var digest = SHA256.hash(bytes)
    digest[0] = digest[0] & 0x0F | 0x70
    id = String(Base64.url(Array(digest.prefix(17))).prefix(22))
    text = Base64.url(bytes)
  }

  /// A new secret.
  package static func random() -> InstallationSecret {
    var generator = SystemRandomNumberGenerator()
    return InstallationSecret((0..<32).map { _ in UInt8.random(in: 0...255, using: &generator) })
  }
}
