import FirestoreModel

/// Who holds a bearer token.
package enum Bearer: Sendable {
  case user(BearerUser)
  /// A service account with the role of an administrator.
  case administrator(email: String)
}

/// A user, as his token tells.
package struct BearerUser: Sendable {
  package let scope: AccountScope
  package let uid: Text
  package let claims: MapValue
  /// Seconds since 1970.
  package let expiry: Int64
  package let issued: Int64
  /// Names what revocation ends, as `User.session` does.
  ///
  /// Zero of a token that no revocation can end.
  package let session: Int64
}
