import Foundation

// The asynchronous methods with a callback. A callback gets the result or the error, and comes on
// the queue of callbacks.

extension User {
  /// An ID token, renewed if it ends soon.
  public func getIDToken(
    completion: ((String?, (any Error)?) -> Void)?
  ) {
    auth.deliver(to: completion) { try await self.getIDToken() }
  }

  /// An ID token, renewed if it ends soon or `forceRefresh` says so.
  public func getIDTokenForcingRefresh(
    _ forceRefresh: Bool,
    completion: ((String?, (any Error)?) -> Void)?
  ) {
    auth.deliver(to: completion) { try await self.getIDToken(forcingRefresh: forceRefresh) }
  }

  /// An ID token with its claims.
  public func getIDTokenResult(
    completion: ((AuthTokenResult?, (any Error)?) -> Void)?
  ) {
    auth.deliver(to: completion) { try await self.getIDTokenResult() }
  }

  /// An ID token with its claims.
  public func getIDTokenResult(
    forcingRefresh: Bool,
    completion: ((AuthTokenResult?, (any Error)?) -> Void)?
  ) {
    auth.deliver(to: completion) { try await self.getIDTokenResult(forcingRefresh: forcingRefresh) }
  }

  /// Reads the account again.
  public func reload(
    completion: (((any Error)?) -> Void)? = nil
  ) {
    auth.deliver(to: completion) { try await self.reload() }
  }

  /// Changes the email address.
  @available(*, deprecated, message: "Use sendEmailVerification(beforeUpdatingEmail:) instead.")
  public func updateEmail(
    to email: String,
    completion: (((any Error)?) -> Void)? = nil
  ) {
    auth.deliver(to: completion) { try await self.update(["email": .text(email)]) }
  }

  /// Changes the password.
  public func updatePassword(
    to password: String,
    completion: (((any Error)?) -> Void)? = nil
  ) {
    auth.deliver(to: completion) { try await self.updatePassword(to: password) }
  }

  /// Deletes the account and signs out.
  public func delete(
    completion: (((any Error)?) -> Void)? = nil
  ) {
    auth.deliver(to: completion) { try await self.delete() }
  }

  /// Reauthenticates the user.
  public func reauthenticate(
    with credential: AuthCredential,
    completion: ((AuthDataResult?, (any Error)?) -> Void)? = nil
  ) {
    auth.deliver(to: completion) { try await self.reauthenticate(with: credential) }
  }

  /// Links the account with a further way to sign in.
  public func link(
    with credential: AuthCredential,
    completion: ((AuthDataResult?, (any Error)?) -> Void)? = nil
  ) {
    auth.deliver(to: completion) { try await self.link(with: credential) }
  }

  /// Takes away a way to sign in.
  public func unlink(
    fromProvider provider: String,
    completion: ((User?, (any Error)?) -> Void)? = nil
  ) {
    auth.deliver(to: completion) { try await self.unlink(fromProvider: provider) }
  }

  /// Sends an email that verifies the address.
  public func sendEmailVerification(
    completion: (((any Error)?) -> Void)? = nil
  ) {
    auth.deliver(to: completion) { try await self.sendEmailVerification() }
  }

  /// Sends an email that verifies the address.
  public func sendEmailVerification(
    with actionCodeSettings: ActionCodeSettings,
    completion: (((any Error)?) -> Void)? = nil
  ) {
    auth.deliver(to: completion) { try await self.sendEmailVerification(with: actionCodeSettings) }
  }

  /// Sends an email to a new address, which becomes the account's when its link is followed.
  public func sendEmailVerification(
    beforeUpdatingEmail newEmail: String,
    actionCodeSettings: ActionCodeSettings? = nil,
    completion: (((any Error)?) -> Void)? = nil
  ) {
    auth.deliver(to: completion) {
      try await self.sendEmailVerification(
        beforeUpdatingEmail: newEmail,
        actionCodeSettings: actionCodeSettings
      )
    }
  }
}

extension UserProfileChangeRequest {
  /// Makes the change; the request cannot be used again.
  public func commitChanges(
    completion: (((any Error)?) -> Void)? = nil
  ) {
    user.auth.deliver(to: completion) { try await self.commitChanges() }
  }
}
