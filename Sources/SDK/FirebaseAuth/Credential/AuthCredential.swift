import Foundation

/// A proof of a person's identity.
///
/// Unchecked: it is not final, and neither it nor a subclass here has anything that changes.
public class AuthCredential: NSObject, @unchecked Sendable {
  /// The provider.
  public let provider: String

  init(provider: String) { self.provider = provider }

  /// The request that exchanges the credential, of an account if it is linked to one.
  func request(
    linkingTo idToken: String?,
    _ use: CredentialUse
  ) throws -> AuthRequest<SessionAnswer> {
    throw AuthErrorCode.invalidCredential.error()
  }
}
