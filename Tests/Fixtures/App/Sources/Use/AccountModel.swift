import FirebaseAuth
import Foundation

/// Accounts in the way of a view model, with callbacks and with `async`.
@MainActor
public final class AccountModel {
  /// The signed-in user.
  public private(set) var user: User?
  /// The last error.
  public private(set) var message: String?
  private var handle: AuthStateDidChangeListenerHandle?

  /// A model that follows who is signed in.
  public init() {
    handle = Auth.auth().addStateDidChangeListener { [weak self] _, user in
      MainActor.assumeIsolated { self?.user = user }
    }
  }

  /// Ends following.
  public func end() {
    if let handle { Auth.auth().removeStateDidChangeListener(handle) }
  }

  // MARK: Callbacks

  /// Signs in by password.
  public func signIn(email: String, password: String) {
    Auth.auth().signIn(withEmail: email, password: password) { [weak self] result, error in
      MainActor.assumeIsolated { self?.finish(result?.user, error) }
    }
  }

  /// Makes an account.
  public func signUp(email: String, password: String) {
    Auth.auth().createUser(withEmail: email, password: password) { result, error in
      guard let user = result?.user, error == nil else { return }
      let change = user.createProfileChangeRequest()
      change.displayName = "Ana"
      change.commitChanges { _ in }
      user.sendEmailVerification()
    }
  }

  /// Sends the email for a new password.
  public func reset(email: String) {
    Auth.auth().sendPasswordReset(withEmail: email) { error in
      if let error { print(error.localizedDescription) }
    }
  }

  private func finish(_ user: User?, _ error: (any Error)?) {
    self.user = user
    guard let error = error as NSError? else { return }
    switch AuthErrorCode(rawValue: error.code) {
    case .wrongPassword, .invalidCredential: message = "wrong"
    case .userNotFound: message = "unknown"
    case .networkError: message = "offline"
    default: message = error.localizedDescription
    }
  }

  /// Signs out.
  public func signOut() {
    do {
      try Auth.auth().signOut()
    } catch { message = error.localizedDescription }
  }

  // MARK: Async

  /// Every way to sign in.
  public func everyWay(token: String, link: String) async throws {
    let auth = Auth.auth()
    auth.languageCode = "pt-BR"
    try await auth.signInAnonymously()
    try await auth.signIn(withCustomToken: token)
    if auth.isSignIn(withEmailLink: link) {
      try await auth.signIn(withEmail: "ana@example.com", link: link)
    }
    let credential = OAuthProvider.credential(
      providerID: .custom("oidc.corporate"),
      idToken: token,
      rawNonce: "nonce"
    )
    try await auth.signIn(with: credential)
    let apple = OAuthProvider.credential(
      withProviderID: "apple.com",
      idToken: token,
      rawNonce: "nonce"
    )
    let result = try await auth.currentUser?.link(with: apple)
    user = result?.user
    try await user?.reauthenticate(
      with: EmailAuthProvider.credential(withEmail: "ana@example.com", password: "secret")
    )
  }

  /// Makes the calls that an account offers.
  public func account() async throws -> String? {
    guard let user = Auth.auth().currentUser else { return nil }
    try await user.reload()
    try await user.updatePassword(to: "another")
    let token = try await user.getIDToken()
    let result = try await user.getIDTokenResult(forcingRefresh: true)
    let role = result.claims["role"] as? String
    for provider in user.providerData { print(provider.providerID, provider.uid) }
    try await user.unlink(fromProvider: "apple.com")
    try await user.delete()
    return role ?? token
  }

  /// A second factor.
  public func secondFactor(code: String, error: any Error) async throws {
    let key = AuthErrors.userInfoMultiFactorResolverKey
    guard let resolver = (error as NSError).userInfo[key] as? MultiFactorResolver,
      let hint = resolver.hints.first
    else { throw error }
    let assertion = TOTPMultiFactorGenerator.assertionForSignIn(
      withEnrollmentID: hint.uid,
      oneTimePassword: code
    )
    user = try await resolver.resolveSignIn(with: assertion).user
  }

  /// Follows who is signed in.
  public func follow() async {
    for await user in Auth.auth().authStateChanges { self.user = user }
  }
}
