import Access
import Authentication
import FirestoreModel

/// An administrator's account, as the list of administrators shows it.
struct AdministratorAccount: Sendable, Hashable {
  let uid: Text
  let email: String
  let role: AdministratorRole
  let hasSecondFactor: Bool
  let isDisabled: Bool
  /// Milliseconds since 1970; nil of who never signed in.
  let lastSignIn: Int64?

  /// The account of a user of the server's own scope; nil for one that has no role.
  init?(_ user: User) {
    guard let email = user.email, let role = Self.role(of: user) else { return nil }
    uid = user.uid
    self.email = email.string
    self.role = role
    hasSecondFactor = !user.secondFactors.isEmpty
    isDisabled = user.isDisabled
    lastSignIn = user.lastSignInAt
  }

  /// The claims of a role, as the account keeps them.
  static func claims(of role: AdministratorRole) -> String {
    JSONText.object([.init(roleClaim, .string(role.rawValue))]).compact
  }

  private static let roleClaim = "role"

  private static func role(of user: User) -> AdministratorRole? {
    guard let text = user.customClaims, let claims = try? JSONText(parsing: text) else {
      return nil
    }
    return claims[roleClaim]?.string.flatMap(AdministratorRole.init)
  }
}
