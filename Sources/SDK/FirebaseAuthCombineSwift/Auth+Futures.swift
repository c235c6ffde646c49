#if canImport(Combine)
import Combine
import FirebaseCore
import FirebaseAuth

// Futures of the methods with a callback; each starts at once.

extension Auth {
  /// Makes an account with an email address and a password, and signs in.
  @discardableResult
  public func createUser(
    withEmail email: String,
    password: String
  ) -> Future<AuthDataResult, any Error> {
    Future(ofValue: { [self] in createUser(withEmail: email, password: password, completion: $0) })
  }

  /// Signs in with an email address and a password.
  @discardableResult
  public func signIn(
    withEmail email: String,
    password: String
  ) -> Future<AuthDataResult, any Error> {
    Future(ofValue: { [self] in signIn(withEmail: email, password: password, completion: $0) })
  }

  /// Signs in with the link of an email; traps on any other link.
  @discardableResult
  public func signIn(
    withEmail email: String,
    link: String
  ) -> Future<AuthDataResult, any Error> {
    Future(ofValue: { [self] in signIn(withEmail: email, link: link, completion: $0) })
  }

  /// Signs in without a name.
  @discardableResult
  public func signInAnonymously() -> Future<AuthDataResult, any Error> {
    Future(ofValue: { [self] in signInAnonymously(completion: $0) })
  }

  /// Signs in with a token that a server of the app's owner made.
  @discardableResult
  public func signIn(withCustomToken token: String) -> Future<AuthDataResult, any Error> {
    Future(ofValue: { [self] in signIn(withCustomToken: token, completion: $0) })
  }

  /// Signs in with a credential.
  @discardableResult
  public func signIn(with credential: AuthCredential) -> Future<AuthDataResult, any Error> {
    Future(ofValue: { [self] in signIn(with: credential, completion: $0) })
  }

  /// Makes a user current that was signed in before.
  @discardableResult
  public func updateCurrentUser(_ user: User) -> Future<Void, any Error> {
    Future(ofEnd: { [self] in updateCurrentUser(user, completion: $0) })
  }

  /// Sends an email with which a new password can be set.
  @discardableResult
  public func sendPasswordReset(
    withEmail email: String,
    actionCodeSettings: ActionCodeSettings? = nil
  ) -> Future<Void, any Error> {
    Future(ofEnd: { [self] in
      sendPasswordReset(withEmail: email, actionCodeSettings: actionCodeSettings, completion: $0)
    })
  }

  /// Sends an email whose link signs in.
  @discardableResult
  public func sendSignInLink(
    toEmail email: String,
    actionCodeSettings: ActionCodeSettings
  ) -> Future<Void, any Error> {
    Future(ofEnd: { [self] in
      sendSignInLink(toEmail: email, actionCodeSettings: actionCodeSettings, completion: $0)
    })
  }

  /// Sets a new password with the code of an email.
  @discardableResult
  public func confirmPasswordReset(
    withCode code: String,
    newPassword: String
  ) -> Future<Void, any Error> {
    Future(ofEnd: { [self] in
      confirmPasswordReset(withCode: code, newPassword: newPassword, completion: $0)
    })
  }

  /// Returns the purpose of a code, without using it.
  @discardableResult
  public func checkActionCode(code: String) -> Future<ActionCodeInfo, any Error> {
    Future(ofValue: { [self] in checkActionCode(code, completion: $0) })
  }

  /// Says which address a code for a new password belongs to.
  @discardableResult
  public func verifyPasswordResetCode(_ code: String) -> Future<String, any Error> {
    Future(ofValue: { [self] in verifyPasswordResetCode(code, completion: $0) })
  }

  /// Applies a code.
  @discardableResult
  public func applyActionCode(code: String) -> Future<Void, any Error> {
    Future(ofEnd: { [self] in applyActionCode(code, completion: $0) })
  }
}
#endif
