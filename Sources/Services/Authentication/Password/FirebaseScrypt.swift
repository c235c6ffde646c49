import Crypto
import CryptoExtras
import Foundation

/// Firebase's form of scrypt: the key that scrypt derives encrypts a secret of the project.
///
/// The key is `scrypt(password, salt ‖ separator, N = 2^memoryCost, r = rounds, p = 1)`, 64 bytes.
/// The hash is the signer key under AES-256-CTR with the key's first half and a counter that begins
/// at zero. It is as long as the signer key.
package struct FirebaseScrypt: Sendable, Hashable {
  /// The project's secret, which the derived key encrypts; as long as each hash.
  package let signerKey: [UInt8]
  /// The bytes that follow each password's salt.
  package let saltSeparator: [UInt8]
  /// The block size of scrypt, its `r`.
  package let rounds: Int
  /// The binary logarithm of scrypt's cost `N`.
  package let memoryCost: Int

  /// Parameters as `firebase auth:export` prints them.
  package init(signerKey: [UInt8], saltSeparator: [UInt8], rounds: Int = 8, memoryCost: Int = 14) {
    self.signerKey = signerKey
    self.saltSeparator = saltSeparator
    self.rounds = rounds
    self.memoryCost = memoryCost
  }

  func hash(_ password: [UInt8], salt: [UInt8]) throws -> [UInt8] {
    let key = try KDF.Scrypt.deriveKey(
      from: password,
      salt: salt + saltSeparator,
      outputByteCount: 64,
      rounds: 1 << memoryCost,
      blockSize: rounds,
      parallelism: 1
    )
    let half = SymmetricKey(data: key.withUnsafeBytes { Array($0.prefix(32)) })
    let nonce = try AES._CTR.Nonce(nonceBytes: [UInt8](repeating: 0, count: 16))
    return Array(try AES._CTR.encrypt(signerKey, using: half, nonce: nonce))
  }
}
