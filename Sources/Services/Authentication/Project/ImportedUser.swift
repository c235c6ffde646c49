/// An account that is brought in whole.
package struct ImportedUser: Sendable {
  /// The account's id; one of 1 to 128 UTF-16 units is accepted.
  package var uid: String
  /// The email address as the import spells it; nil without one.
  package var email: String?
  /// True where the user has proved to own the address.
  package var isEmailVerified = false
  /// The name to show; nil without one.
  package var displayName: String?
  /// The address of the user's picture; nil without one.
  package var photoURL: String?
  /// The phone number as the import spells it; nil without one.
  package var phoneNumber: String?
  /// True where the user may not sign in.
  package var isDisabled = false
  /// The text of a JSON object that every ID token carries; nil without claims.
  package var customClaims: String?
  /// The identities of other providers that sign the user in.
  package var providers: [LinkedProvider] = []
  /// The hash, of the algorithm that the import names.
  package var password: PasswordHash?
  /// The password itself, hashed on arrival; ignored where `password` is set.
  package var rawPassword: String?
  /// Milliseconds since 1970.
  package var createdAt: Int64?
  /// The last sign-in in milliseconds since 1970; nil if there was none.
  package var lastSignInAt: Int64?
  /// Seconds since 1970.
  package var validSince: Int64?
  /// The factors that a sign-in must be completed with.
  package var secondFactors: [SecondFactor] = []
  /// True to leave an account of the same uid its second factors.
  package var keepsSecondFactors = false
  /// True where the user may sign in by a link sent to the email address.
  package var hasEmailLink = false
  /// True where a custom token made the account.
  package var isCustom = false
  /// The account's first email address, once it was changed.
  package var initialEmail: String?
  /// The last change of the password in milliseconds since 1970; nil is the time of the import.
  package var passwordUpdatedAt: Int64?
  /// The last sign-in or refresh in milliseconds since 1970.
  package var lastRefreshAt: Int64?
  /// The reason for refusing the account, found while it was read.
  package var refusal: AccountError?

  /// An account with that uid.
  package init(uid: String) { self.uid = uid }
}
