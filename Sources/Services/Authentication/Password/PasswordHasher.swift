import Crypto
import CryptoExtras
import Foundation

/// Makes and checks password hashes; pure computing, some of it long: run it on a `PasswordPool`.
package struct PasswordHasher: Sendable {
  /// The parameters of the project's own hashes.
  package let own: FirebaseScrypt

  /// A hasher for the project that has those parameters.
  package init(own: FirebaseScrypt) { self.own = own }

  /// The password as it is kept from now on.
  package func hash(_ password: String, random: RandomBytes) throws -> PasswordHash {
    let salt = random.bytes(16)
    return PasswordHash(
      algorithm: .own,
      salt: salt,
      hash: try own.hash(Array(password.utf8), salt: salt)
    )
  }

  /// Returns true if the hash is of that password, byte for byte.
  package func matches(_ password: String, _ stored: PasswordHash) throws -> Bool {
    let password = Array(password.utf8)
    if stored.algorithm == .bcrypt {
      guard let hash = BCryptHash(stored.hash) else { return false }
      return try hash.matches(password)
    }
    guard let computed = try compute(password, stored) else { return false }
    return ConstantTime.areEqual(computed, stored.hash)
  }

  /// Takes as long as a check of the project's own hashes does, for accounts that do not exist.
  package func waste(_ password: String) throws {
    _ = try own.hash(Array(password.utf8), salt: [UInt8](repeating: 0, count: 16))
  }

  private func compute(_ password: [UInt8], _ stored: PasswordHash) throws -> [UInt8]? {
    switch stored.algorithm {
    case .own: return try own.hash(password, salt: stored.salt)
    case .firebaseScrypt(let parameters): return try parameters.hash(password, salt: stored.salt)
    case .scrypt(let cost, let blockSize, let parallelization, let length):
      return try KDF.Scrypt.deriveKey(
        from: password,
        salt: stored.salt,
        outputByteCount: length,
        rounds: cost,
        blockSize: blockSize,
        parallelism: parallelization
      ).withUnsafeBytes { Array($0) }
    case .bcrypt: return nil
    case .pbkdf2(let digest, let rounds):
      guard let function = digest.derivation else { return nil }
      return try KDF.Insecure.PBKDF2.deriveKey(
        from: password,
        salt: stored.salt,
        using: function,
        outputByteCount: stored.hash.count,
        unsafeUncheckedRounds: rounds
      ).withUnsafeBytes { Array($0) }
    case .hmac(let digest, let key, let order):
      return digest.hmac(order.join(password, stored.salt), key: key)
    case .digest(let digest, let rounds, let order):
      var bytes = digest.hash(order.join(password, stored.salt))
      for _ in 1..<max(rounds, 1) { bytes = digest.hash(bytes) }
      return bytes
    }
  }
}

extension PasswordAlgorithm.InputOrder {
  fileprivate func join(_ password: [UInt8], _ salt: [UInt8]) -> [UInt8] {
    switch self {
    case .saltFirst: salt + password
    case .passwordFirst: password + salt
    }
  }
}

extension PasswordDigest {
  fileprivate var derivation: KDF.Insecure.PBKDF2.HashFunction? {
    switch self {
    case .md5: nil
    case .sha1: .insecureSHA1
    case .sha256: .sha256
    case .sha512: .sha512
    }
  }

  fileprivate func hash(_ bytes: [UInt8]) -> [UInt8] {
    switch self {
    case .md5: Array(Insecure.MD5.hash(data: bytes))
    case .sha1: Array(Insecure.SHA1.hash(data: bytes))
    case .sha256: Array(SHA256.hash(data: bytes))
    case .sha512: Array(SHA512.hash(data: bytes))
    }
  }

  fileprivate func hmac(_ bytes: [UInt8], key: [UInt8]) -> [UInt8] {
    let key = SymmetricKey(data: key)
    return switch self {
    case .md5: Array(HMAC<Insecure.MD5>.authenticationCode(for: bytes, using: key))
    case .sha1: Array(HMAC<Insecure.SHA1>.authenticationCode(for: bytes, using: key))
    case .sha256: Array(HMAC<SHA256>.authenticationCode(for: bytes, using: key))
    case .sha512: Array(HMAC<SHA512>.authenticationCode(for: bytes, using: key))
    }
  }
}
