import Crypto
import CryptoExtras

// Signing for back ends that have no key file, as Google's IAM Credentials API does: by a key of
// the service account that the server holds. Its signatures count as custom tokens or signed URLs
// of the account, never as its credentials.

extension ServiceAccounts {
  /// The most bytes that are signed at once.
  package static let longestBlob = 1 << 20

  /// Signs bytes (RSASSA-PKCS1-v1_5 with SHA-256) for the service account of that e-mail; nil where there is none.
  ///
  /// The first call makes the account's held key, which takes a while.
  package func sign(
    _ bytes: [UInt8],
    as email: String
  ) throws -> (keyID: String, signature: [UInt8])? {
    guard let account = try held(email) ?? makeHeldKey(for: email), let key = account.heldKey else {
      return nil
    }
    let signature = try key.signature(
      for: SHA256.hash(data: bytes),
      padding: .insecurePKCS1v1_5
    )
    return (account.keyID, Array(signature.rawRepresentation))
  }

  private func held(_ email: String) throws -> ServiceAccount? {
    keys(of: email).first(where: \.isHeld)
  }

  /// Adds a held key to an account that has a key of a file.
  private func makeHeldKey(for email: String) throws -> ServiceAccount? {
    guard let account = keys(of: email).first else { return nil }
    let key = try _RSA.Signing.PrivateKey(keySize: .init(bitCount: configuration.signingKeyBits))
    let made = ServiceAccount(
      name: account.name,
      role: account.role,
      project: account.project,
      createdAt: configuration.clock.now() / 1_000_000,
      publicKey: key.publicKey,
      heldKey: key
    )
    return try keep(made)
  }
}
