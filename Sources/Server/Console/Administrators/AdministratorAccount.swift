import Access
import Authentication
import BaseJSON
import BaseText

/// An administrator's account, as the list of administrators shows it.
struct AdministratorAccount: Sendable, Hashable {
  let uid: Text
  let email: String
  let roles: AdministratorRoles
  let hasSecondFactor: Bool
  let isDisabled: Bool
  /// Milliseconds since 1970; nil of who never signed in.
  let lastSignIn: Int64?

  /// The account of a user of the server's own scope; nil for one that has no role.
  init?(_ user: User) {
    guard let email = user.email, let roles = Self.roles(of: user) else { return nil }
    uid = user.uid
    self.email = email.string
    self.roles = roles
    hasSecondFactor = !user.secondFactors.isEmpty
    isDisabled = user.isDisabled
    lastSignIn = user.lastSignInAt
  }

  private static func roles(of user: User) -> AdministratorRoles? {
    guard let text = user.customClaims, let claims = try? JSONValue(parsing: text) else {
      return nil
    }
    return AdministratorRoles(claims)
  }
}
