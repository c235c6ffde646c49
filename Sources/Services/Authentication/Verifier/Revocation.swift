import BaseText

/// The tokens that are no longer valid, before their time.
package enum Revocation: Sendable, Hashable {
  /// Those of one user.
  case user(AccountScope, uid: Text)
  case everybody
}
