import BaseText

/// Whose tokens are not valid any more, before their time.
package enum Revocation: Sendable, Hashable {
  /// Those of one user.
  case user(AccountScope, uid: Text)
  case everybody
}
