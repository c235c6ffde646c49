import Foundation

// The ID token and its renewal.

extension User {
  /// An ID token, renewed if it ends soon or `forceRefresh` says so.
  public func getIDToken(forcingRefresh forceRefresh: Bool = false) async throws -> String {
    enum Step {
      case ready(String)
      case wait(Task<String, any Error>)
    }
    let now = auth.now()
    let step = state.withLock { state -> Step in
      if !forceRefresh, state.tokens.isFresh(at: now) { return .ready(state.tokens.idToken) }
      if let renewal = state.renewal { return .wait(renewal) }
      let renewal = Task { try await self.renewTokens() }
      state.renewal = renewal
      return .wait(renewal)
    }
    switch step {
    case .ready(let token): return token
    case .wait(let renewal): return try await renewal.value
    }
  }

  /// An ID token, renewed if it ends soon or `forceRefresh` says so.
  public func idTokenForcingRefresh(_ forceRefresh: Bool) async throws -> String {
    try await getIDToken(forcingRefresh: forceRefresh)
  }

  /// An ID token with its claims.
  public func getIDTokenResult(forcingRefresh: Bool = false) async throws -> AuthTokenResult {
    let token = try await getIDToken(forcingRefresh: forcingRefresh)
    guard let result = AuthTokenResult(token: token) else {
      throw AuthErrorCode.malformedJWT.error()
    }
    return result
  }

  /// Renews the tokens; a renewal in progress ends with it, with any result.
  private func renewTokens() async throws -> String {
    do {
      let old = tokens
      let answer = try await auth.send(
        AuthRequest<TokenAnswer>(
          "v1/token",
          .token,
          ["grantType": .text("refresh_token"), "refreshToken": .text(old.refreshToken)]
        )
      )
      let now = auth.now()
      let new = SessionTokens(
        idToken: answer.access_token,
        refreshToken: answer.refresh_token ?? old.refreshToken,
        seconds: answer.expires_in,
        now: now
      )
      guard let new else { throw AuthErrorCode.internalError.error() }
      try replace(tokens: new, over: old)
      return tokens.idToken
    } catch {
      state.withLock { $0.renewal = nil }
      throw auth.afterFailure(error, of: self)
    }
  }

  /// Takes renewed tokens unless others arrived in the meantime, by a sign-in or a change of the
  /// account.
  private func replace(tokens new: SessionTokens, over old: SessionTokens) throws {
    state.withLock { state in
      if state.tokens == old { state.tokens = new }
      state.renewal = nil
    }
    try auth.userChanged(self)
  }

  /// Takes the tokens of a response and the changed account.
  func adopt(_ answer: SessionAnswer) async throws {
    let now = auth.now()
    let tokens = SessionTokens(
      idToken: answer.idToken,
      refreshToken: answer.refreshToken,
      seconds: answer.expiresIn,
      now: now
    )
    if let tokens { state.withLock { $0.tokens = tokens } }
    let profile = try await auth.lookUp(
      idToken: self.tokens.idToken,
      wasAnonymous: self.profile.isAnonymous
    )
    state.withLock { $0.profile = profile }
    try auth.userChanged(self)
  }

  /// Sends a request that carries the user's token, and signs out where the session has ended.
  func send<Answer>(
    _ request: (String) -> AuthRequest<Answer>
  ) async throws -> Answer {
    try await withIDToken { try await auth.send(request($0)) }
  }

  /// Runs a call with the user's token, and signs out if the session has ended.
  ///
  /// A token that the server takes for expired is renewed once: by a clock that was set back it looks fresh here.
  func withIDToken<Result>(_ body: (String) async throws -> Result) async throws -> Result {
    let token = try await getIDToken()
    do {
      return try await body(token)
    } catch  where (error as NSError).authCode == .userTokenExpired {
      let token = try await getIDToken(forcingRefresh: true)
      do { return try await body(token) } catch { throw auth.afterFailure(error, of: self) }
    } catch { throw auth.afterFailure(error, of: self) }
  }
}
