import FirestoreModel

/// For whom a password is hashed: what shares of the pool's time are counted by.
package struct PasswordCaller: Sendable, Hashable {
  /// As limits count addresses; empty for administrators.
  package let address: Text
  /// A name of the account that stays the same.
  package let account: Text
  /// Whether the account was signed in to from that address before; of administrators always.
  package let isFamiliar: Bool

  /// A client at that address who asks about that account.
  package init(_ origin: RequestOrigin, account: Text, isFamiliar: Bool = false) {
    address = origin.bucket
    self.account = account
    if case .administrator = origin {
      self.isFamiliar = true
    } else {
      self.isFamiliar = isFamiliar
    }
  }

  /// The server's own work, and that of administrators.
  package static let administrator = PasswordCaller(.administrator, account: "")
}
