import Foundation

/// The purpose for which a credential is exchanged.
enum CredentialUse: Sendable {
  /// A session of its own.
  case signIn
  /// A further way to sign in to an account.
  case link(User)
  /// The proof that it is still the same person.
  case reauthentication(User)
}

// From a credential to a session.

extension Auth {
  /// Exchanges a credential; a sign-in makes its user current.
  func exchange(_ credential: AuthCredential, _ use: CredentialUse) async throws -> AuthDataResult {
    let answer: SessionAnswer
    if case .link(let user) = use {
      answer = try await user.withIDToken {
        try await send(try credential.request(linkingTo: $0, use))
      }
    } else {
      answer = try await send(try credential.request(linkingTo: nil, use))
    }
    return try await finish(answer, use, provider: credential.provider, isNewUser: answer.isNewUser)
  }

  /// Turns the response of a sign-in into a user.
  func finish(
    _ answer: SessionAnswer,
    _ use: CredentialUse,
    provider: String,
    isNewUser: Bool? = nil,
    isAnonymous: Bool = false
  ) async throws -> AuthDataResult {
    try check(answer, use, provider)
    let user: User
    switch use {
    case .link(let linked):
      try await linked.adopt(answer)
      user = linked
    case .signIn:
      user = try await makeUser(answer, isAnonymous: isAnonymous)
      try become(user)
    case .reauthentication: user = try await makeUser(answer, isAnonymous: false)
    }
    let info = AdditionalUserInfo(
      providerID: answer.providerId ?? provider,
      isNewUser: isNewUser ?? answer.isNewUser ?? false,
      username: answer.screenName,
      json: answer.rawUserInfo
    )
    return AuthDataResult(
      user: user,
      additionalUserInfo: info,
      credential: answer.providerCredential
    )
  }

  private func makeUser(_ answer: SessionAnswer, isAnonymous: Bool) async throws -> User {
    let tokens = SessionTokens(
      idToken: answer.idToken,
      refreshToken: answer.refreshToken,
      seconds: answer.expiresIn,
      now: now()
    )
    guard let tokens else { throw AuthErrorCode.internalError.error("The response has no tokens.") }
    let profile = try await lookUp(idToken: tokens.idToken, wasAnonymous: isAnonymous)
    return User(auth: self, tokens: tokens, profile: profile)
  }

  /// Reads the account of an ID token.
  func lookUp(idToken: String, wasAnonymous: Bool) async throws -> UserProfile {
    let answer = try await send(
      AuthRequest<LookupAnswer>("v1/accounts:lookup", .identity, ["idToken": .text(idToken)])
    )
    guard let account = answer.users?.first else { throw AuthErrorCode.userNotFound.error() }
    return UserProfile(account, wasAnonymous: wasAnonymous)
  }

  /// Throws where a response is no session yet.
  private func check(_ answer: SessionAnswer, _ use: CredentialUse, _ provider: String) throws {
    if let pending = answer.mfaPendingCredential {
      let resolver = MultiFactorResolver(
        auth: self,
        pendingCredential: pending,
        factors: (answer.mfaInfo ?? []).map(UserProfile.Factor.init),
        use: use,
        provider: provider
      )
      throw AuthErrorCode.secondFactorRequired.error(
        nil,
        [AuthErrors.userInfoMultiFactorResolverKey: resolver]
      )
    }
    var members: [String: Any] = [:]
    if let email = answer.email { members[AuthErrors.userInfoEmailKey] = email }
    if let credential = answer.providerCredential {
      members[AuthErrors.userInfoUpdatedCredentialKey] = credential
    }
    if answer.needConfirmation == true {
      throw AuthErrorCode.accountExistsWithDifferentCredential.error(nil, members)
    }
    guard let message = answer.errorMessage else { return }
    let error = ServerFailure(message: message).error
    throw error.authCode?.error(error.localizedDescription, members) ?? error
  }
}

extension SessionAnswer {
  /// The provider's credential that the response brings.
  fileprivate var providerCredential: OAuthCredential? {
    guard let providerId, oauthIdToken != nil || oauthAccessToken != nil || pendingToken != nil
    else { return nil }
    return OAuthCredential(
      provider: providerId,
      idToken: oauthIdToken,
      accessToken: oauthAccessToken,
      secret: oauthTokenSecret,
      pendingToken: pendingToken
    )
  }
}
