import FirestoreModel

/// What a client gets when somebody signed in.
package struct Session: Sendable {
  package let scope: AccountScope
  package let user: User
  package let idToken: String
  package let refreshToken: String
  package let signIn: SignInFacts
  /// Whether this sign-in made the account.
  package var isNewUser = false
  /// Seconds until the ID token is over.
  package var expiresIn: Int64 { ProjectAccounts.idTokenLifetime }
}

/// Where a first factor leads.
package enum SignInOutcome: Sendable {
  case signedIn(Session)
  /// No token yet: one of the user's second factors must follow, with this credential.
  case needsSecondFactor(User, pendingCredential: String)
}
