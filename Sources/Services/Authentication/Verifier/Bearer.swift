import BaseText
import FirestoreModel

/// The holder of a bearer token.
package enum Bearer: Sendable {
  case user(BearerUser)
  /// A service account with the role of an administrator.
  case administrator(email: String)
}

/// A user, as described by the token.
package struct BearerUser: Sendable {
  /// The project or tenant that the token is for.
  package let scope: AccountScope
  /// The user's id, unique in the scope.
  package let uid: Text
  /// All claims of the token, as rules read them in `request.auth.token`.
  package let claims: MapValue
  /// Seconds since 1970.
  package let expiry: Int64
  /// The time at which the token was issued, in seconds since 1970.
  package let issued: Int64
  /// Names what revocation ends, as `User.session` does.
  ///
  /// Zero of a token that no revocation can end.
  package let session: Int64
}
