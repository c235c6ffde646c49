import Crypto

/// The secret that the first start in production generates and prints once; only its SHA-256 digest
/// is kept.
///
/// The key has 256 random bits, so the digest needs no salt and no stretching.
package struct AdministratorKey: Sendable {
  /// 32 bytes.
  package let digest: [UInt8]

  /// The key with that digest.
  package init(digest: [UInt8]) { self.digest = digest }

  /// The key with that text.
  package init(_ text: some StringProtocol) {
    digest = Array(SHA256.hash(data: Array(text.utf8)))
  }

  /// Distinguishes the key from others, and is not a secret.
  package var fingerprint: [UInt8] { Array(SHA256.hash(data: digest).prefix(16)) }

  /// Returns true if the token is the key; takes the same time for every wrong token of a length.
  package func matches(_ token: some StringProtocol) -> Bool {
    let candidate = AdministratorKey(token).digest
    guard candidate.count == digest.count else { return false }
    return zip(candidate, digest).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
  }
}
