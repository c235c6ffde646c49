import Foundation

// The ways to sign in.

extension Auth {
  static var missingPassword: NSError {
    let reason = "Missing password"
    return AuthErrorCode.weakPassword.error(nil, [NSLocalizedFailureReasonErrorKey: reason])
  }

  /// Makes an account with an email address and a password, and signs in.
  @discardableResult
  public func createUser(withEmail email: String, password: String) async throws -> AuthDataResult {
    guard !password.isEmpty else { throw Self.missingPassword }
    guard !email.isEmpty else { throw AuthErrorCode.missingEmail.error() }
    let answer = try await send(
      AuthRequest<SessionAnswer>(
        "v1/accounts:signUp",
        .identity,
        ["email": .text(email), "password": .text(password), "returnSecureToken": .flag(true)]
      )
    )
    return try await finish(answer, .signIn, provider: EmailAuthProvider.id, isNewUser: true)
  }

  /// Signs in with an email address and a password.
  @discardableResult
  public func signIn(withEmail email: String, password: String) async throws -> AuthDataResult {
    try await signIn(with: EmailAuthProvider.credential(withEmail: email, password: password))
  }

  /// Signs in with the link of an email; traps on any other link.
  @discardableResult
  public func signIn(withEmail email: String, link: String) async throws -> AuthDataResult {
    try await signIn(with: EmailAuthProvider.credential(withEmail: email, link: link))
  }

  /// Signs in without a name, so that data has an owner before the person has an account.
  ///
  /// A user who is already signed in this way stays the same.
  @discardableResult
  public func signInAnonymously() async throws -> AuthDataResult {
    if let user = currentUser, user.isAnonymous {
      let info = AdditionalUserInfo(providerID: "", isNewUser: false)
      return AuthDataResult(user: user, additionalUserInfo: info, credential: nil)
    }
    let answer = try await send(
      AuthRequest<SessionAnswer>(
        "v1/accounts:signUp",
        .identity,
        ["returnSecureToken": .flag(true)]
      )
    )
    return try await finish(answer, .signIn, provider: "", isNewUser: true, isAnonymous: true)
  }

  /// Signs in with a token that a server of the app's owner made.
  @discardableResult
  public func signIn(withCustomToken token: String) async throws -> AuthDataResult {
    let answer = try await send(
      AuthRequest<SessionAnswer>(
        "v1/accounts:signInWithCustomToken",
        .identity,
        ["token": .text(token), "returnSecureToken": .flag(true)]
      )
    )
    return try await finish(answer, .signIn, provider: "")
  }

  /// Signs in with a credential.
  @discardableResult
  public func signIn(with credential: AuthCredential) async throws -> AuthDataResult {
    try await exchange(credential, .signIn)
  }

  /// Makes a user current that was signed in before, of this app or of another one of the same project.
  ///
  /// One of another app is read from the server before.
  public func updateCurrentUser(_ user: User?) async throws {
    guard let user else { throw AuthErrorCode.nullUser.error() }
    guard user.auth !== self else { return try become(user) }
    let own = User(auth: self, tokens: user.tokens, profile: user.profile)
    try await own.reload()
    try become(own)
  }
}
