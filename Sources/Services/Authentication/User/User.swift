import BaseText

/// One account of a scope.
package struct User: Sendable, Hashable {
  /// At most 128 UTF-16 units; unique in the scope.
  package let uid: Text
  /// The email address, unique in the scope; nil without one.
  package var email: EmailAddress?
  /// True once the user has proved to own the email address.
  package var isEmailVerified = false
  /// The name to show; nil without one.
  package var displayName: String?
  /// The address of the user's picture; nil without one.
  package var photoURL: String?
  /// The phone number, unique in the scope; nil without one.
  package var phoneNumber: PhoneNumber?
  /// True where an administrator stopped the account: no sign-in, and no token is valid.
  package var isDisabled = false
  /// The custom claims as the JSON object that was set; nil when there are none.
  package var customClaims: String?
  /// Identities of other providers, in the order of linking; at most one of a provider.
  package var providers: [LinkedProvider] = []
  /// The hash of the password; nil where no password signs the user in.
  package var password: PasswordHash?
  /// Milliseconds since 1970.
  package var passwordUpdatedAt: Int64?
  /// The factors that a sign-in must be completed with.
  package var secondFactors: [SecondFactor] = []
  /// The digests of the codes that stand in for a second factor once; administrators alone have them, and passkeys.
  package internal(set) var recoveryCodes: [[UInt8]] = []
  /// The passkeys that sign an administrator in, at most `ProjectAccounts.maximumPasskeys`.
  package internal(set) var passkeys: [Passkey] = []
  /// True if the user may sign in by a link sent to the e-mail.
  package var hasEmailLink = false
  /// True if a custom token made the account.
  package var isCustom = false
  /// The first e-mail, once it was changed.
  package var initialEmail: EmailAddress?
  /// Milliseconds since 1970, as all times but `validSince`.
  package var createdAt: Int64
  /// The last sign-in; nil before the first.
  package var lastSignInAt: Int64?
  /// The last sign-in or refresh; nil before the first.
  ///
  /// Refreshes are noted once in five minutes at most.
  package var lastRefreshAt: Int64?
  /// Seconds since 1970: tokens issued earlier are not valid.
  package var validSince: Int64
  /// Names the span between two revocations, about in microseconds since 1970.
  ///
  /// Tokens carry it, and one of another span is not valid: it distinguishes events within a
  /// second.
  package internal(set) var session: Int64

  /// A new account.
  init(uid: Text, at time: Int64) {
    self.uid = uid
    createdAt = time / 1_000
    validSince = time / 1_000_000
    session = Self.session(at: time)
  }

  /// Ends every token issued up to now.
  mutating func revoke(at time: Int64) {
    validSince = time / 1_000_000
    session = max(Self.session(at: time), session + 1)
  }

  /// Removes every way to sign in, when the address turns out to belong to another person than the
  /// account's creator.
  mutating func dropCredentials() {
    password = nil
    passwordUpdatedAt = nil
    hasEmailLink = false
    phoneNumber = nil
    providers = []
    secondFactors = []
    recoveryCodes = []
    passkeys = []
  }

  /// A name for a session that begins: the time, its last sixteen bits random, so that a uid that is
  /// used again at once gets another.
  private static func session(at time: Int64) -> Int64 {
    time & ~sessionNoise | Int64.random(in: 0...sessionNoise)
  }

  /// The largest difference between a session's name and its time.
  static let sessionNoise: Int64 = 0xFFFF

  /// True if nothing but the account itself signs the user in.
  package var isAnonymous: Bool {
    email == nil && phoneNumber == nil && providers.isEmpty && password == nil && !isCustom
  }

  /// True if the password provider belongs to the account.
  package var hasPasswordProvider: Bool {
    email != nil && (password != nil || hasEmailLink)
  }

  /// The linked identity of that provider.
  package func provider(_ id: Text) -> LinkedProvider? { providers.first { $0.providerID == id } }

  /// The ids of every way to sign in, `password` and `phone` among them.
  package var providerIDs: [Text] {
    (hasPasswordProvider ? ["password"] : []) + providers.map(\.providerID)
      + (phoneNumber != nil ? ["phone"] : [])
  }
}
