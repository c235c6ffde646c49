/// The session that a client receives after a sign-in.
package struct Session: Sendable {
  /// The project or tenant that the user signed in to.
  package let scope: AccountScope
  /// The user as the sign-in left it.
  package let user: User
  /// A new ID token, valid for `expiresIn` seconds.
  package let idToken: String
  /// A refresh token, which gets further ID tokens until it is revoked.
  package let refreshToken: String
  /// The facts of the sign-in that every token of the session repeats.
  package let signIn: SignInFacts
  /// True if this sign-in made the account.
  package var isNewUser = false
  /// Seconds until the ID token is over.
  package var expiresIn: Int64 { ProjectAccounts.idTokenLifetime }
}

/// The outcome of a first factor.
package enum SignInOutcome: Sendable {
  case signedIn(Session)
  /// No token yet: one of the user's second factors must follow, with this credential.
  case needsSecondFactor(User, pendingCredential: String)
}
