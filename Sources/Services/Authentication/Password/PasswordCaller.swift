import BaseText

/// The caller of a password hash; shares of the pool's time are counted by it.
package struct PasswordCaller: Sendable, Hashable {
  /// The kinds of callers, the first to be served first where there is no room for all.
  enum Kind: Int, CaseIterable {
    /// Signs in from where the account was signed in to before, or administers.
    case familiar
    case stranger
    /// Makes an account.
    case signUp
  }

  /// As limits count addresses; empty for administrators.
  package let address: Text
  /// The network of the address, shared with its neighbours.
  let network: Text
  /// A name of the account that stays the same.
  package let account: Text
  let kind: Kind

  /// A client at that address who asks about that account.
  package init(
    _ origin: RequestOrigin,
    account: Text,
    isFamiliar: Bool = false,
    isSignUp: Bool = false
  ) {
    address = origin.bucket
    network = origin.network
    self.account = account
    if case .administrator = origin {
      kind = .familiar
    } else {
      kind = isFamiliar ? .familiar : isSignUp ? .signUp : .stranger
    }
  }

  /// The keys that take turns, the widest first.
  var turns: [Text] { [network, address, account] }

  /// The server's own work, and that of administrators.
  package static let administrator = PasswordCaller(.administrator, account: "")
}
