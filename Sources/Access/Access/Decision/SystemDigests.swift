import Crypto
import SecurityRules

/// The digests of `hashing` in rules.
package struct SystemDigests: RulesDigests {
  /// Digests; they have no state.
  package init() {}

  /// Returns the 16 bytes of the MD5 digest (RFC 1321).
  package func md5(_ bytes: [UInt8]) -> [UInt8] { Array(Insecure.MD5.hash(data: bytes)) }

  /// Returns the 32 bytes of the SHA-256 digest (FIPS 180-4).
  package func sha256(_ bytes: [UInt8]) -> [UInt8] { Array(SHA256.hash(data: bytes)) }
}
