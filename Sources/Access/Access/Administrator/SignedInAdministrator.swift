import BaseStatus
import BaseText

/// An administrator who signed in to the console.
package struct SignedInAdministrator: Sendable, Hashable {
  /// The id of the administrator's account, unique among the server's own accounts.
  package let uid: Text
  /// The email address of the administrator's account.
  package let email: String
  /// The administrator's rights, for the server and for single projects.
  package let roles: AdministratorRoles

  /// An administrator of those roles.
  package init(uid: Text, email: String, roles: AdministratorRoles) {
    self.uid = uid
    self.email = email
    self.roles = roles
  }
}

/// The short tokens that the console's page sends with its calls.
///
/// Any thread may call; nothing blocks.
package protocol AdministratorTokens: AnyObject, Sendable {
  /// The administrator whose token it is; nil once it has expired or its session has ended.
  func holder(of token: Substring) -> SignedInAdministrator?

  /// True if the token's administrator gave the credentials of a sign-in within the last minutes.
  func signedInLately(holding token: Substring) -> Bool

  /// The account of the administrator whose token it is; nil once it has expired, its session has ended or the account is
  /// gone. May wait for the disk.
  func account(holding token: Substring) throws(ServiceError) -> CallerAccount?

  /// The administrator of an account, with the current roles. Nil if the account is gone or
  /// disabled, or its sessions up to this one were ended; a session of nil means any. May wait for
  /// the disk.
  func holder(uid: Text, session: Int64?) throws(ServiceError) -> SignedInAdministrator?

  /// The user for an administrator's view of data; nil once the token has expired or the
  /// administrator's session has ended.
  func viewedUser(of token: Substring) -> UserIdentity?
}

extension AccessControl {
  /// The prefix of every administrator's token, and of no other token.
  package static let administratorTokenPrefix = "brasa-console."

  /// The prefix of every token with which an administrator looks at data as a user.
  package static let viewTokenPrefix = "brasa-view."
}
