import FirestoreModel

/// What an account is made of; only what is given is checked and set.
package struct NewUser: Sendable {
  /// Nil lets the server choose.
  package var uid: String?
  package var email: String?
  package var isEmailVerified = false
  package var password: String?
  package var displayName: String?
  package var photoURL: String?
  package var phoneNumber: String?
  package var isDisabled = false
  package var customClaims: String?
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
