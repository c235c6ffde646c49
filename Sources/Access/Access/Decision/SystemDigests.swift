import Crypto
import SecurityRules

/// The digests of `hashing` in rules.
package struct SystemDigests: RulesDigests {
  /// Digests; they have no state.
  package init() {}

  package func md5(_ bytes: [UInt8]) -> [UInt8] { Array(Insecure.MD5.hash(data: bytes)) }

  package func sha256(_ bytes: [UInt8]) -> [UInt8] { Array(SHA256.hash(data: bytes)) }
}
