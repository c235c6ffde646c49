/// A key that an administrator's authenticator keeps and unlocks by PIN or biometrics (WebAuthn, ES256).
package struct Passkey: Sendable, Hashable {
  /// The credential's id, as the authenticator chose it.
  package let id: [UInt8]
  /// The host that it belongs to; pages of no other can use it.
  package let host: String
  /// The point on P-256 in the uncompressed form of X9.63.
  package let publicKey: [UInt8]
  /// The user's name for the passkey.
  package let name: String
  /// Milliseconds since 1970.
  package let createdAt: Int64
  /// The number of signatures that the authenticator says it has made; always zero for those that
  /// do not count.
  package internal(set) var signCount: Int64
  /// Milliseconds since 1970; nil before its first use.
  package internal(set) var lastUsedAt: Int64?

  /// A key that was never used.
  package init(
    id: [UInt8],
    host: String,
    publicKey: [UInt8],
    name: String,
    createdAt: Int64,
    signCount: Int64
  ) {
    self.id = id
    self.host = host
    self.publicKey = publicKey
    self.name = name
    self.createdAt = createdAt
    self.signCount = signCount
  }
}
