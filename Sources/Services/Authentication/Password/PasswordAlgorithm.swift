/// The algorithm of a stored password hash.
package enum PasswordAlgorithm: Sendable, Hashable {
  /// Ours: Firebase's scrypt with the project's own parameters.
  case own
  /// Firebase's scrypt with another project's parameters.
  case firebaseScrypt(FirebaseScrypt)
  /// RFC 7914: N, r, p and the length of the result.
  case scrypt(cost: Int, blockSize: Int, parallelization: Int, length: Int)
  /// A whole `$2b$…` string is the hash; the salt is in it.
  case bcrypt
  case pbkdf2(PasswordDigest, rounds: Int)
  case hmac(PasswordDigest, key: [UInt8], order: InputOrder)
  /// The digest of password and salt, `rounds` times over.
  case digest(PasswordDigest, rounds: Int, order: InputOrder)

  /// The order of salt and password in the hashed text.
  package enum InputOrder: Int64, Sendable, Hashable {
    case saltFirst = 1
    case passwordFirst = 2
  }
}

/// The digests that imported hashes use.
package enum PasswordDigest: Int64, Sendable, Hashable, CaseIterable {
  case md5 = 1
  case sha1 = 2
  case sha256 = 3
  case sha512 = 4
}

/// A password as it is kept.
package struct PasswordHash: Sendable, Hashable {
  /// The algorithm that made the hash, with its parameters.
  package let algorithm: PasswordAlgorithm
  /// The password's own salt; empty for an algorithm that keeps it in the hash.
  package let salt: [UInt8]
  /// The algorithm's result; for bcrypt, the bytes of its whole text.
  package let hash: [UInt8]

  /// A hash made elsewhere, or by `PasswordHasher`.
  package init(algorithm: PasswordAlgorithm, salt: [UInt8], hash: [UInt8]) {
    self.algorithm = algorithm
    self.salt = salt
    self.hash = hash
  }
}
