import BaseText

// Signing up and in with e-mail and password, and anonymously.

extension ProjectAccounts {
  /// Makes an account with e-mail and password and signs it in.
  package func signUp(
    email raw: String,
    password: String,
    displayName: String? = nil,
    from origin: RequestOrigin
  ) throws -> Session {
    let configuration = try configuration()
    guard configuration.allowsPassword, configuration.allowsSignUp else {
      throw AccountError(.operationNotAllowed)
    }
    let email = try Self.email(raw)
    try configuration.passwordPolicy.check(password)
    _ = try accounts.limits.enterSignUp(from: origin)
    guard try read({ try $0.owner(AccountKey.email(scope, email)) }) == nil else {
      throw AccountError(.emailExists)
    }
    var user = User(uid: Text(random.uid()), at: now)
    user.email = email
    user.displayName = try displayName.map { try Self.bounded($0, "DISPLAY_NAME") }
    let caller = PasswordCaller(origin, account: name(email), isSignUp: true)
    user.password = try newHash(password, for: caller)
    user.passwordUpdatedAt = user.createdAt
    let session = try establishNew(user, by: "password")
    accounts.limits.befriend(account: name(email), origin)
    return session
  }

  /// Makes an account without anything and signs it in.
  package func signUpAnonymously(from origin: RequestOrigin) throws -> Session {
    let configuration = try configuration()
    guard configuration.allowsAnonymous, configuration.allowsSignUp else {
      throw AccountError(.adminOnlyOperation)
    }
    _ = try accounts.limits.enterSignUp(from: origin)
    return try establishNew(User(uid: Text(random.uid()), at: now), by: "anonymous")
  }

  /// Signs in with e-mail and password.
  ///
  /// While the project hides accounts, a wrong address and a wrong password give the same response after
  /// the same work, and a disabled account shows only to who knows its password.
  ///
  /// - Parameter device: The name of a device of which the caller knows that the account was signed in to from it.
  package func signIn(
    email raw: String,
    password: String,
    from origin: RequestOrigin,
    device: Text? = nil
  ) throws -> SignInOutcome {
    let checked = try check(email: raw, password: password, from: origin, device: device)
    return try establish(signIn(by: "password")) { users in
      let found = try checked.user(in: users)
      guard let renewed = checked.renewed, !found.isDisabled else { return (found, false) }
      return (
        try users.change(found.uid) {
          $0.password = renewed; return $0
        }, false
      )
    }
  }

  /// Changes the password for who knows the present one; older tokens end.
  ///
  /// An account with a second factor changes its password after signing in with both.
  package func changePassword(
    email raw: String,
    from old: String,
    to new: String,
    origin: RequestOrigin
  ) throws -> User {
    let checked = try check(email: raw, password: old, from: origin)
    let hash = try newHash(new, for: PasswordCaller(origin, account: name(checked.email)))
    return try write { users in
      let found = try checked.user(in: users)
      guard !found.isDisabled else { throw AccountError(.userDisabled) }
      guard found.secondFactors.isEmpty else {
        throw AccountError(.operationNotAllowed, "The account has a second factor: sign in first.")
      }
      return try users.change(found.uid) { user in
        user.password = hash
        user.passwordUpdatedAt = now / 1_000
        user.revoke(at: now)
        return user
      }
    }
  }

  /// A password that was right when it was checked.
  struct CheckedPassword {
    let uid: Text
    let email: EmailAddress
    let stored: PasswordHash
    /// An imported password hashed as ours.
    let renewed: PasswordHash?
    let attempt: AttemptLimits.Attempt

    /// The user, if the password is still his.
    func user(in users: UserGroup) throws -> User {
      guard let user = try users.users.user(uid), user.password == stored, user.email == email
      else {
        throw AccountError(.invalidLoginCredentials)
      }
      return user
    }
  }

  /// Checks a password, and gives the attempt back where it is right.
  ///
  /// - Parameter hasSecondFactor: As `AttemptLimits.enterPassword` has it; then the caller gives the attempt back.
  func check(
    email raw: String,
    password: String,
    from origin: RequestOrigin,
    device: Text? = nil,
    hasSecondFactor: Bool = false
  ) throws -> CheckedPassword {
    let configuration = try configuration()
    guard configuration.allowsPassword else { throw AccountError(.passwordLoginDisabled) }
    let email = try Self.email(raw)
    let attempt = try accounts.limits.enterPassword(
      account: name(email),
      from: origin,
      device: device,
      hasSecondFactor: hasSecondFactor
    )
    let caller = PasswordCaller(origin, account: name(email), isFamiliar: attempt.isFamiliar)
    let hasher = try checkingHasher
    let user = try read { try $0.user(email: email) }
    guard let user, let stored = user.password else {
      if configuration.hidesAccounts {
        try accounts.passwords.run(for: caller) { try hasher.waste(password) }
      }
      throw AccountError(
        configuration.hidesAccounts
          ? .invalidLoginCredentials : user == nil ? .emailNotFound : .invalidPassword
      )
    }
    let random = random
    let own = try self.hasher
    let checked = try accounts.passwords.run(for: caller) {
      () -> (isRight: Bool, renewed: PasswordHash?) in
      guard try hasher.matches(password, stored) else {
        // An imported hash may be quick to check: no response may be quicker than for an unknown
        // address.
        if stored.algorithm != .own { try hasher.waste(password) }
        return (false, nil)
      }
      return (true, stored.algorithm == .own ? nil : try own.hash(password, random: random))
    }
    guard checked.isRight else {
      throw AccountError(
        configuration.hidesAccounts ? .invalidLoginCredentials : .invalidPassword
      )
    }
    if !hasSecondFactor { accounts.limits.giveBack(attempt) }
    return CheckedPassword(
      uid: user.uid,
      email: email,
      stored: stored,
      renewed: checked.renewed,
      attempt: attempt
    )
  }

  /// Begins the first session of a new account.
  func establishNew(_ user: User, by provider: Text) throws -> Session {
    try establishWhole(signIn(by: provider)) { users in
      try users.insert(user)
      return (user, true)
    }
  }
}
