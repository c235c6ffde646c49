import Access
import Authentication
import BaseStatus
import BaseText

/// Shows the accounts' bearer tokens to the choke point, in its words.
final class AccountTokenVerifier: TokenVerifier {
  private let accounts: Accounts
  private let tokens: BearerTokens
  /// True if a back end's token is refused over a connection on which others could read it.
  private let protectsAdministrators: Bool

  init(
    _ accounts: Accounts,
    mode: BearerTokens.RevocationMode,
    protectsAdministrators: Bool
  ) {
    self.accounts = accounts
    tokens = BearerTokens(accounts, mode: mode)
    self.protectsAdministrators = protectsAdministrators
  }

  func caller(holding token: Substring, isSecure: Bool) throws(ServiceError) -> Caller {
    try caller(try bearer(token), isSecure: isSecure)
  }

  func knownCaller(holding token: Substring, isSecure: Bool) throws(ServiceError) -> Caller? {
    guard let bearer = tokens.knownBearer(token) else { return nil }
    return try caller(bearer, isSecure: isSecure)
  }

  func isGenuine(_ token: Substring) -> Bool { tokens.isGenuine(token) }

  private func caller(_ bearer: Bearer, isSecure: Bool) throws(ServiceError) -> Caller {
    switch bearer {
    case .user(let user):
      guard case .project(let project) = user.scope else { throw Self.foreignScope }
      return .user(
        UserIdentity(
          project: project,
          uid: user.uid,
          claims: user.claims,
          expiry: user.expiry,
          issued: user.issued,
          session: user.session
        )
      )
    case .administrator:
      guard isSecure || !protectsAdministrators else {
        throw ServiceError(
          .unauthenticated,
          "Service accounts are accepted only over TLS."
        )
      }
      return .administrator
    }
  }

  func isValid(_ identity: UserIdentity) -> Bool {
    tokens.isValid(
      .project(identity.project),
      identity.uid,
      session: identity.session,
      expiry: identity.expiry
    )
  }

  func mark(of identity: UserIdentity) throws(ServiceError) -> String? {
    do {
      return try tokens.mark(
        of: .project(identity.project),
        identity.uid,
        session: identity.session
      )
    } catch {
      throw ServiceError(.unavailable, "The service is currently unavailable.", cause: error)
    }
  }

  func serviceAccountKey(holding token: Substring) -> (email: String, keyID: String)? {
    tokens.serviceAccountKey(holding: token)
  }

  func hasServiceAccountKey(_ keyID: String, of email: String) -> Bool {
    accounts.serviceAccounts.hasKey(keyID, of: email)
  }

  func onRevocation(_ observer: @escaping @Sendable (Text, Text) -> Void) {
    tokens.onRevocation { revocation in
      switch revocation {
      case .user(.project(let project), let uid): observer(project, uid)
      case .user: break
      case .everybody: observer("", "")
      }
    }
  }

  /// Databases belong to projects: the accounts of another scope have nothing in them.
  private static let foreignScope = ServiceError(
    .unauthenticated,
    "Missing or invalid authentication."
  )

  /// Reads a token; the reason for a bad one is for the log, and its sender receives only that it
  /// is not valid.
  private func bearer(_ token: Substring) throws(ServiceError) -> Bearer {
    do {
      return try tokens.bearer(token)
    } catch let problem as JSONWebToken.Problem {
      throw ServiceError(
        .unauthenticated,
        "Missing or invalid authentication.",
        cause: problem
      )
    } catch let error as AccountError {
      throw ServiceError(.unauthenticated, "Missing or invalid authentication.", cause: error)
    } catch {
      throw ServiceError(.unavailable, "The service is currently unavailable.", cause: error)
    }
  }
}
