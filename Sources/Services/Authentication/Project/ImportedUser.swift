import FirestoreModel

/// An account that is brought in whole.
package struct ImportedUser: Sendable {
  package var uid: String
  package var email: String?
  package var isEmailVerified = false
  package var displayName: String?
  package var photoURL: String?
  package var phoneNumber: String?
  package var isDisabled = false
  package var customClaims: String?
  package var providers: [LinkedProvider] = []
  /// Of the algorithm that the import names.
  package var password: PasswordHash?
  package var rawPassword: String?
  /// Milliseconds since 1970.
  package var createdAt: Int64?
  package var lastSignInAt: Int64?
  /// Seconds since 1970.
  package var validSince: Int64?
  package var secondFactors: [SecondFactor] = []
  /// Why the account cannot be taken, found while it was read.
  package var refusal: AccountError?

  /// An account with that uid.
  package init(uid: String) { self.uid = uid }
}
