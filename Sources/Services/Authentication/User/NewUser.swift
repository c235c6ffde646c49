/// The properties of a new account; only those that are given are checked and set.
package struct NewUser: Sendable {
  /// Nil lets the server choose.
  package var uid: String?
  /// The email address in any spelling; nil for an account without one.
  package var email: String?
  /// True to mark the address as the user's own without an email to it.
  package var isEmailVerified = false
  /// The password in plain text, hashed before it is stored; nil for an account without one.
  package var password: String?
  /// The name to show; nil without one.
  package var displayName: String?
  /// The address of the user's picture; nil without one.
  package var photoURL: String?
  /// The phone number in the form of E.164; nil without one.
  package var phoneNumber: String?
  /// True to make an account that can't sign in yet.
  package var isDisabled = false
  /// The text of a JSON object that every ID token carries; nil without claims.
  package var customClaims: String?
  /// The factors that a sign-in must be completed with.
  package var secondFactors: [SecondFactor] = []

  /// An account without anything: an anonymous one.
  package init(
    uid: String? = nil,
    email: String? = nil,
    password: String? = nil,
    displayName: String? = nil
  ) {
    self.uid = uid
    self.email = email
    self.password = password
    self.displayName = displayName
  }
}
