import Access
import Authentication
import BaseStatus

// The calls of administrators about their own accounts, for every role.

extension Administrators {
  /// Throws INVALID_LOGIN_CREDENTIALS unless it is the administrator's password: a stranger at an
  /// open page gets no further.
  func prove(_ password: String, of holder: SignedInAdministrator, from address: String) throws {
    _ = try scope.signIn(
      email: holder.email,
      password: password,
      from: .client(address: address)
    )
  }

  /// The account of an administrator who signed in.
  func user(of holder: SignedInAdministrator) throws -> User {
    guard let user = try scope.user(holder.uid) else { throw Self.endedSession }
    return user
  }

  /// Creates recovery codes that replace the remaining ones; they can't be read again.
  func makeRecoveryCodes(of holder: SignedInAdministrator) throws -> [String] {
    guard try !user(of: holder).secondFactors.isEmpty else {
      throw ServiceError(
        .failedPrecondition,
        "Recovery codes replace a second factor, and this account has none."
      )
    }
    return try scope.makeRecoveryCodes(holder.uid)
  }
}
