extension Accounts {
  /// New tokens for the holder of a refresh token, which stays the same.
  ///
  /// INVALID_REFRESH_TOKEN, TOKEN_EXPIRED or USER_DISABLED where it is not valid.
  ///
  /// A deleted user's is TOKEN_EXPIRED: at that code Google's web client signs out, and at USER_NOT_FOUND its listeners would
  /// ask for tokens for ever.
  /// A token of another scope than `only` is refused with PROJECT_NUMBER_MISMATCH.
  package func refresh(
    _ text: String,
    only: AccountScope? = nil,
    from origin: RequestOrigin = .administrator
  ) throws -> Session {
    guard let token = RefreshToken(text) else { throw AccountError(.invalidRefreshToken) }
    guard only == nil || only == token.scope else { throw AccountError(.projectMismatch) }
    let scoped = self[token.scope]
    let (user, facts) = try scoped.read { users in
      let record = try users.reader.get(token.key)
      guard let user = try users.user(token.uid) else { throw AccountError(.tokenExpired) }
      guard !user.isDisabled else { throw AccountError(.userDisabled) }
      guard let record else { throw AccountError(.tokenExpired) }
      let (facts, session) = try SignInFacts.decode(record)
      guard session == user.session else { throw AccountError(.tokenExpired) }
      return (user, facts)
    }
    try limits.enterToken(account: scoped.name(user.uid))
    if let email = user.email { limits.befriend(account: scoped.name(email), origin) }
    return Session(
      scope: token.scope,
      user: try scoped.noteRefresh(user),
      idToken: try scoped.makeIDToken(user, facts),
      refreshToken: text,
      signIn: facts
    )
  }
}

extension ProjectAccounts {
  /// Writes the time of a refresh, once in five minutes at most.
  fileprivate func noteRefresh(_ user: User) throws -> User {
    let time = now / 1_000
    guard time - (user.lastRefreshAt ?? 0) >= 300_000 else { return user }
    return try write { users in
      try users.change(user.uid) {
        $0.lastRefreshAt = time
        return $0
      }
    }
  }
}
