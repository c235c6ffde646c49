import BaseText

// The start and continuation of sessions.

extension ProjectAccounts {
  /// Begins a session for the user that `find` gives, or asks for a second factor.
  ///
  /// `find` runs in the group that begins the session and may make or change the user; it throws where
  /// what was proved before does not hold any more. `isWhole` says that nothing more is asked for. One
  /// group, one sync.
  func establish(
    _ signIn: SignInFacts,
    isWhole: Bool = false,
    _ find: (UserGroup) throws -> (user: User, isNew: Bool)
  ) throws -> SignInOutcome {
    let time = now
    let decision = try decision(on: signIn, isWhole: isWhole, find)
    var signIn = signIn
    if let claims = decision?.sessionClaims { signIn.extraClaims = claims }
    let (user, isNew, refresh) = try write { users in
      var (found, isNew) = try find(users)
      if let decision {
        let decided = try decision.applied(to: found)
        try users.replace(found, by: decided)
        found = decided
      }
      guard !found.isDisabled else { throw AccountError(.userDisabled) }
      try accounts.limits.enterToken(account: name(found.uid))
      guard isWhole || found.secondFactors.isEmpty || signIn.secondFactor != nil else {
        return (found, isNew, RefreshToken?.none)
      }
      var user = found
      user.lastSignInAt = time / 1_000
      user.lastRefreshAt = time / 1_000
      try users.replace(found, by: user)
      let refresh = RefreshToken(scope: scope, uid: user.uid, issued: time, random: random)
      try users.keep(
        refresh,
        signIn,
        session: user.session,
        atMost: accounts.configuration.maximumSessions
      )
      return (user, isNew, refresh)
    }
    guard let refresh else {
      return .needsSecondFactor(user, pendingCredential: try makePendingCredential(user, signIn))
    }
    return .signedIn(
      Session(
        scope: scope,
        user: user,
        idToken: try makeIDToken(user, signIn),
        refreshToken: refresh.text,
        signIn: signIn,
        isNewUser: isNew
      )
    )
  }

  /// Begins a session that needs no second factor, or has one already.
  func establishWhole(
    _ signIn: SignInFacts,
    _ find: (UserGroup) throws -> (user: User, isNew: Bool)
  ) throws -> Session {
    switch try establish(signIn, find) {
    case .signedIn(let session): return session
    case .needsSecondFactor: throw AccountError(.operationNotAllowed)
    }
  }

  /// A sign-in that happens now.
  func signIn(by provider: Text, extraClaims: String? = nil) -> SignInFacts {
    SignInFacts(provider: provider, time: now / 1_000_000, extraClaims: extraClaims)
  }

  /// New tokens for a signed-in user with a changed account.
  ///
  /// They tell of the same sign-in as the ID token that he sent.
  package func renew(_ user: User, _ signIn: SignInFacts) throws -> Session {
    var facts = signIn
    if user.secondFactors.isEmpty { facts.secondFactor = nil }
    let uid = user.uid
    let session = user.session
    return try establishRenewed(uid, facts) { users in
      let current = try users.user(uid)
      guard current.session == session else { throw AccountError(.tokenExpired) }
      return (current, false)
    }
  }

  /// As `establish`, for a user who gave his second factor earlier in the session.
  private func establishRenewed(
    _ uid: Text,
    _ signIn: SignInFacts,
    _ find: (UserGroup) throws -> (user: User, isNew: Bool)
  ) throws -> Session {
    let time = now
    let (user, refresh) = try write { users in
      let (user, _) = try find(users)
      guard !user.isDisabled else { throw AccountError(.userDisabled) }
      try accounts.limits.enterToken(account: name(uid))
      let refresh = RefreshToken(scope: scope, uid: user.uid, issued: time, random: random)
      try users.keep(
        refresh,
        signIn,
        session: user.session,
        atMost: accounts.configuration.maximumSessions
      )
      return (user, refresh)
    }
    return Session(
      scope: scope,
      user: user,
      idToken: try makeIDToken(user, signIn),
      refreshToken: refresh.text,
      signIn: signIn
    )
  }
}
