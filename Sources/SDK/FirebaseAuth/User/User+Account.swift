import Foundation

// Changes of the account.

extension User {
  /// Reads the account again.
  public func reload() async throws {
    let wasAnonymous = isAnonymous
    let profile = try await withIDToken {
      try await auth.lookUp(idToken: $0, wasAnonymous: wasAnonymous)
    }
    state.withLock { $0.profile = profile }
    try auth.userChanged(self)
  }

  /// Changes the email address.
  @available(*, deprecated, message: "Use sendEmailVerification(beforeUpdatingEmail:) instead.")
  public func updateEmail(to email: String) async throws {
    try await update(["email": .text(email)])
  }

  /// Changes the password.
  public func updatePassword(to password: String) async throws {
    guard !password.isEmpty else { throw Auth.missingPassword }
    try await update(["password": .text(password)])
  }

  func update(_ fields: [String: AuthField?]) async throws {
    let answer: SessionAnswer = try await send { token in
      AuthRequest(
        "v1/accounts:update",
        .identity,
        fields.merging(["idToken": .text(token), "returnSecureToken": .flag(true)]) { $1 }
      )
    }
    try await adopt(answer)
  }

  /// Deletes the account and signs out.
  public func delete() async throws {
    let _: EmptyAnswer = try await send { token in
      AuthRequest("v1/accounts:delete", .identity, ["idToken": .text(token)])
    }
    try auth.signOut(ifCurrent: self)
  }

  /// Reauthenticates the user, as required before critical changes.
  @discardableResult
  public func reauthenticate(with credential: AuthCredential) async throws -> AuthDataResult {
    do {
      return try adopt(try await auth.exchange(credential, .reauthentication(self)))
    } catch let error as NSError where error.authCode == .userNotFound {
      throw AuthErrorCode.userMismatch.error()
    }
  }

  /// Takes the session of a new sign-in; throws if it is of another user.
  func adopt(_ result: AuthDataResult) throws -> AuthDataResult {
    guard result.user.uid == uid else { throw AuthErrorCode.userMismatch.error() }
    let (tokens, profile) = (result.user.tokens, result.user.profile)
    state.withLock { state in
      state.tokens = tokens
      state.profile = profile
    }
    try auth.userChanged(self)
    return AuthDataResult(
      user: self,
      additionalUserInfo: result.additionalUserInfo,
      credential: result.credential
    )
  }

  /// Links the account with a further way to sign in.
  @discardableResult
  public func link(with credential: AuthCredential) async throws -> AuthDataResult {
    if profile.providers.contains(where: { $0.providerID == credential.provider }) {
      throw AuthErrorCode.providerAlreadyLinked.error()
    }
    return try await auth.exchange(credential, .link(self))
  }

  /// Takes away a way to sign in.
  @discardableResult
  public func unlink(fromProvider provider: String) async throws -> User {
    guard profile.providers.contains(where: { $0.providerID == provider }) else {
      throw AuthErrorCode.noSuchProvider.error()
    }
    try await update(["deleteProvider": .texts([provider])])
    return self
  }

  /// Sends an email that verifies the address.
  public func sendEmailVerification() async throws {
    try await sendCode("VERIFY_EMAIL", nil)
  }

  /// Sends an email that verifies the address.
  public func sendEmailVerification(with actionCodeSettings: ActionCodeSettings) async throws {
    try await sendCode("VERIFY_EMAIL", actionCodeSettings)
  }

  /// Sends an email to a new address, which becomes the account's when its link is followed.
  public func sendEmailVerification(
    beforeUpdatingEmail newEmail: String,
    actionCodeSettings: ActionCodeSettings? = nil
  ) async throws {
    try await sendCode("VERIFY_AND_CHANGE_EMAIL", actionCodeSettings, newEmail: newEmail)
  }

  private func sendCode(
    _ type: String,
    _ settings: ActionCodeSettings?,
    newEmail: String? = nil
  ) async throws {
    let fields = settings?.fields ?? [:]
    let _: EmptyAnswer = try await send { token in
      AuthRequest(
        "v1/accounts:sendOobCode",
        .identity,
        fields.merging([
          "requestType": .text(type), "idToken": .text(token), "newEmail": .optional(newEmail),
        ]) { $1 }
      )
    }
  }
}
