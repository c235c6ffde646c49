import BaseStatus
import BaseText

/// The account behind the credentials of a call.
///
/// Stored for processes that last longer than credentials are valid, such as an upload in several
/// requests: each of their steps checks the account again.
package enum CallerAccount: Sendable, Hashable {
  case nobody
  /// The administrator of development mode, which every caller may claim to be there.
  case development
  /// The holder of the administrator key of that fingerprint.
  case administratorKey(fingerprint: [UInt8])
  /// A signed-in administrator; `session` is the session that a revocation ends.
  case administrator(uid: Text, session: Int64, email: String)
  /// The key of a service account.
  case serviceAccount(email: String, keyID: String)
  /// A secret that a service account shares, which the storage of files knows.
  case sharedSecret(accessID: String)
  /// A user of an app. The mark changes with what the account says of the user in tokens.
  case user(UserIdentity, mark: String)

  /// The account for people: an email address where it has one.
  package var name: String {
    switch self {
    case .nobody: "nobody"
    case .development: "development"
    case .administratorKey: "administrator key"
    case .administrator(_, _, let email): email
    case .serviceAccount(let email, _): email
    case .sharedSecret(let accessID): accessID
    case .user(let user, _): user.uid.string
    }
  }
}

extension AccessControl {
  /// The account behind a call's credentials.
  ///
  /// Throws UNAUTHENTICATED for credentials that are not valid. May wait for the disk.
  package func account(of context: CallContext) throws(ServiceError) -> CallerAccount {
    let caller = try identify(context)
    switch caller {
    case .nobody: return .nobody
    case .user(let user): return .user(user, mark: try mark(of: user))
    case .administrator, .projectAdministrator: return try administratorAccount(context)
    }
  }

  private func administratorAccount(
    _ context: CallContext
  ) throws(ServiceError) -> CallerAccount {
    let token = (context.authorization ?? "").split(separator: " ").last ?? ""
    if token.hasPrefix(Self.administratorTokenPrefix) {
      guard let account = try administrators?.account(holding: token) else {
        throw Self.invalidCredentials
      }
      return account
    }
    if let key = verifier?.serviceAccountKey(holding: token) {
      return .serviceAccount(email: key.email, keyID: key.keyID)
    }
    // A token of an unknown service account belongs to no one.
    switch mode {
    case .development where Self.isEmulatorOwner(token): return .development
    case .production(let key) where key.matches(token):
      return .administratorKey(fingerprint: key.fingerprint)
    case .development, .production: throw Self.invalidCredentials
    }
  }

  private func mark(of user: UserIdentity) throws(ServiceError) -> String {
    guard user.isSigned, let verifier else { return "" }
    guard let mark = try verifier.mark(of: user) else { throw Self.invalidCredentials }
    return mark
  }

  /// The caller that an account makes now.
  ///
  /// Throws PERMISSION_DENIED where the account is gone or disabled, its credentials were taken back, its roles do not
  /// allow to change anything any more, or a user's claims are others. May wait for the disk.
  package func caller(of account: CallerAccount) throws(ServiceError) -> Caller {
    switch account {
    case .nobody: return .nobody
    case .development:
      guard case .development = mode else { throw Self.denied }
      return .administrator
    case .administratorKey(let fingerprint):
      guard case .production(let key) = mode, key.fingerprint == fingerprint else {
        throw Self.denied
      }
      return .administrator
    case .administrator(let uid, let session, _):
      guard let holder = try administrators?.holder(uid: uid, session: session),
        let caller = holder.roles.caller(for: .editor)
      else { throw Self.denied }
      return caller
    case .serviceAccount(let email, let keyID):
      guard verifier?.hasServiceAccountKey(keyID, of: email) == true else { throw Self.denied }
      return .administrator
    case .sharedSecret: throw Self.denied
    case .user(let user, let mark):
      if user.isSigned {
        guard let verifier, try verifier.mark(of: user) == mark else { throw Self.denied }
      } else {
        guard case .development = mode else { throw Self.denied }
      }
      return .user(user)
    }
  }
}
