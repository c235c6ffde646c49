import Foundation

// The asynchronous methods with a callback. A callback gets the result or the error, and comes on
// the queue of callbacks.

extension Auth {
  /// Makes an account with an email address and a password, and signs in.
  public func createUser(
    withEmail email: String,
    password: String,
    completion: ((AuthDataResult?, (any Error)?) -> Void)? = nil
  ) {
    deliver(to: completion) { try await self.createUser(withEmail: email, password: password) }
  }

  /// Signs in with an email address and a password.
  public func signIn(
    withEmail email: String,
    password: String,
    completion: ((AuthDataResult?, (any Error)?) -> Void)? = nil
  ) {
    deliver(to: completion) { try await self.signIn(withEmail: email, password: password) }
  }

  /// Signs in with the link of an email; traps on any other link.
  public func signIn(
    withEmail email: String,
    link: String,
    completion: ((AuthDataResult?, (any Error)?) -> Void)? = nil
  ) {
    deliver(to: completion) { try await self.signIn(withEmail: email, link: link) }
  }

  /// Signs in without a name.
  public func signInAnonymously(
    completion: ((AuthDataResult?, (any Error)?) -> Void)? = nil
  ) {
    deliver(to: completion) { try await self.signInAnonymously() }
  }

  /// Signs in with a token that a server of the app's owner made.
  public func signIn(
    withCustomToken token: String,
    completion: ((AuthDataResult?, (any Error)?) -> Void)? = nil
  ) {
    deliver(to: completion) { try await self.signIn(withCustomToken: token) }
  }

  /// Signs in with a credential.
  public func signIn(
    with credential: AuthCredential,
    completion: ((AuthDataResult?, (any Error)?) -> Void)? = nil
  ) {
    deliver(to: completion) { try await self.signIn(with: credential) }
  }

  /// Makes a user current that was signed in before.
  public func updateCurrentUser(
    _ user: User?,
    completion: (((any Error)?) -> Void)? = nil
  ) {
    deliver(to: completion) { try await self.updateCurrentUser(user) }
  }

  /// Sends an email with which a new password can be set.
  public func sendPasswordReset(
    withEmail email: String,
    completion: (((any Error)?) -> Void)? = nil
  ) {
    deliver(to: completion) { try await self.sendPasswordReset(withEmail: email) }
  }

  /// Sends an email with which a new password can be set.
  public func sendPasswordReset(
    withEmail email: String,
    actionCodeSettings: ActionCodeSettings?,
    completion: (((any Error)?) -> Void)? = nil
  ) {
    deliver(to: completion) {
      try await self.sendPasswordReset(
        withEmail: email,
        actionCodeSettings: actionCodeSettings
      )
    }
  }

  /// Sends an email whose link signs in.
  public func sendSignInLink(
    toEmail email: String,
    actionCodeSettings: ActionCodeSettings,
    completion: (((any Error)?) -> Void)? = nil
  ) {
    deliver(to: completion) {
      try await self.sendSignInLink(toEmail: email, actionCodeSettings: actionCodeSettings)
    }
  }

  /// Sets a new password with the code of an email.
  public func confirmPasswordReset(
    withCode code: String,
    newPassword: String,
    completion: @escaping ((any Error)?) -> Void
  ) {
    deliver(to: completion) {
      try await self.confirmPasswordReset(withCode: code, newPassword: newPassword)
    }
  }

  /// Returns the purpose of a code, without using it.
  public func checkActionCode(
    _ code: String,
    completion: @escaping (ActionCodeInfo?, (any Error)?) -> Void
  ) {
    deliver(to: completion) { try await self.checkActionCode(code) }
  }

  /// Says which address a code for a new password belongs to.
  public func verifyPasswordResetCode(
    _ code: String,
    completion: @escaping (String?, (any Error)?) -> Void
  ) {
    deliver(to: completion) { try await self.verifyPasswordResetCode(code) }
  }

  /// Applies a code.
  public func applyActionCode(
    _ code: String,
    completion: @escaping ((any Error)?) -> Void
  ) {
    deliver(to: completion) { try await self.applyActionCode(code) }
  }

  /// The ways to sign in of an address; none where the project hides which addresses have accounts.
  @available(
    *,
    deprecated,
    message: "Projects with email enumeration protection return no methods."
  )
  public func fetchSignInMethods(
    forEmail email: String,
    completion: (([String]?, (any Error)?) -> Void)? = nil
  ) {
    deliver(to: completion) { try await self.fetchSignInMethods(forEmail: email) }
  }
}
