import Crypto
import SecurityRules

/// The digests of `hashing` in rules.
struct SystemDigests: RulesDigests {
  func md5(_ bytes: [UInt8]) -> [UInt8] { Array(Insecure.MD5.hash(data: bytes)) }

  func sha256(_ bytes: [UInt8]) -> [UInt8] { Array(SHA256.hash(data: bytes)) }
}
