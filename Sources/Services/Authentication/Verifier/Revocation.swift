import FirestoreModel

/// Whose tokens are not valid any more, before their time.
package enum Revocation: Sendable, Hashable {
  /// Those of one user.
  case user(AccountScope, uid: Text)
  /// Perhaps those of one user: another node changed him, who is in his first session, before which somebody may have had that uid.
  case possible(AccountScope, uid: Text)
  case everybody
}
