#if canImport(Combine)
import Combine
import FirebaseCore
import FirebaseAuth

// Futures of the methods with a callback; each starts at once.

extension User {
  /// Reads the account again.
  @discardableResult
  public func reload() -> Future<Void, any Error> {
    Future(ofEnd: { [self] in reload(completion: $0) })
  }

  /// Changes the password.
  @discardableResult
  public func updatePassword(to password: String) -> Future<Void, any Error> {
    Future(ofEnd: { [self] in updatePassword(to: password, completion: $0) })
  }

  /// Deletes the account and signs out.
  @discardableResult
  public func delete() -> Future<Void, any Error> {
    Future(ofEnd: { [self] in delete(completion: $0) })
  }

  /// Reauthenticates the user.
  @discardableResult
  public func reauthenticate(
    with credential: AuthCredential
  ) -> Future<AuthDataResult, any Error> {
    Future(ofValue: { [self] in reauthenticate(with: credential, completion: $0) })
  }

  /// Links the account with a further way to sign in.
  @discardableResult
  public func link(with credential: AuthCredential) -> Future<AuthDataResult, any Error> {
    Future(ofValue: { [self] in link(with: credential, completion: $0) })
  }

  /// Takes away a way to sign in.
  @discardableResult
  public func unlink(fromProvider provider: String) -> Future<User, any Error> {
    Future(ofValue: { [self] in unlink(fromProvider: provider, completion: $0) })
  }

  /// Sends an email that verifies the address.
  @discardableResult
  public func sendEmailVerification() -> Future<Void, any Error> {
    Future(ofEnd: { [self] in sendEmailVerification(completion: $0) })
  }

  /// Sends an email that verifies the address.
  @discardableResult
  public func sendEmailVerification(
    with actionCodeSettings: ActionCodeSettings
  ) -> Future<Void, any Error> {
    Future(ofEnd: { [self] in sendEmailVerification(with: actionCodeSettings, completion: $0) })
  }

  /// Sends an email to a new address, which becomes the account's when its link is followed.
  @discardableResult
  public func sendEmailVerification(
    beforeUpdatingEmail newEmail: String,
    actionCodeSettings: ActionCodeSettings? = nil
  ) -> Future<Void, any Error> {
    Future(ofEnd: { [self] in
      sendEmailVerification(
        beforeUpdatingEmail: newEmail,
        actionCodeSettings: actionCodeSettings,
        completion: $0
      )
    })
  }

  /// An ID token, renewed if it ends soon or `forceRefresh` says so.
  @discardableResult
  public func getIDToken(forcingRefresh forceRefresh: Bool = false) -> Future<String, any Error> {
    Future(ofValue: { [self] in getIDTokenForcingRefresh(forceRefresh, completion: $0) })
  }

  /// An ID token with its claims.
  @discardableResult
  public func getIDTokenResult(
    forcingRefresh forceRefresh: Bool = false
  ) -> Future<AuthTokenResult, any Error> {
    Future(ofValue: { [self] in getIDTokenResult(forcingRefresh: forceRefresh, completion: $0) })
  }
}

extension UserProfileChangeRequest {
  /// Makes the change; the request cannot be used again.
  @discardableResult
  public func commitChanges() -> Future<Void, any Error> {
    Future(ofEnd: { [self] in commitChanges(completion: $0) })
  }
}
#endif
