import BaseText

// Changes of users to their own accounts.

extension ProjectAccounts {
  /// The changes that a signed-in user may make.
  package struct OwnUpdate: Sendable {
    /// The new email address; nil keeps it.
    package var email: String?
    /// The new password, in plain text; nil keeps it.
    package var password: String?
    /// The change of the name to show.
    package var displayName = FieldChange<String>.keep
    /// The change of the picture's address.
    package var photoURL = FieldChange<String>.keep
    /// The ids of the providers to unlink, `password` and `phone` among them.
    package var unlinkedProviders: [Text] = []
    /// True to remove the email address.
    package var removesEmail = false
    /// True to remove the password.
    package var removesPassword = false

    /// Changes nothing.
    package init() {}
  }

  /// Changes the account of an ID token's holder; new tokens come where the old ones ended by it.
  ///
  /// E-mail and password, set or removed, need a sign-in of the last five minutes. Adding both to an
  /// anonymous account upgrades it. While the project hides accounts, a verified address changes by a
  /// email to the new one only, as Firebase has it.
  package func updateOwn(
    idToken: String,
    _ update: OwnUpdate,
    from origin: RequestOrigin
  ) throws -> (user: User, session: Session?, change: AddressChange?) {
    let isSensitive = update.email != nil || update.password != nil
    let (user, token) = try signedIn(idToken)
    let configuration = try configuration()
    if isSensitive || update.removesEmail || update.removesPassword {
      try checkFresh(user, token)
    }
    if isSensitive {
      guard configuration.allowsPassword else { throw AccountError(.operationNotAllowed) }
      _ = try accounts.limits.enterCode(from: origin)
    }
    var change = UserUpdate()
    change.email = update.removesEmail ? .clear : FieldChange(update.email)
    change.password = update.removesPassword ? .clear : FieldChange(update.password)
    change.displayName = update.displayName
    change.photoURL = update.photoURL
    change.unlinkedProviders = update.unlinkedProviders
    if let raw = update.email, let old = user.email, configuration.hidesAccounts,
      try Self.email(raw) != old
    {
      throw AccountError(
        .operationNotAllowed,
        "Please verify the new email before changing email."
      )
    }
    let caller = PasswordCaller(origin, account: name(user.uid))
    let prepared = try PreparedUpdate(change) { try newHash($0, for: caller) }
    let (before, changed) = try write { users in
      let before = try users.user(user.uid)
      return try users.change(user.uid) { current in
        guard current.accepts(token) else { throw AccountError(.tokenExpired) }
        try prepared.apply(to: &current, at: now)
        return (before, current)
      }
    }
    guard changed.session != user.session else { return (changed, nil, nil) }
    var facts = token.signIn
    if isSensitive, changed.hasPasswordProvider { facts.provider = "password" }
    return (changed, try renew(changed, facts), AddressChange(from: before, to: changed))
  }

  /// Adds e-mail and password to the account of an ID token's holder, anonymous or not.
  package func linkPassword(
    idToken: String,
    email: String,
    password: String,
    from origin: RequestOrigin
  ) throws -> Session {
    let (user, token) = try signedIn(idToken)
    try checkFresh(user, token)
    guard try configuration().allowsPassword else { throw AccountError(.operationNotAllowed) }
    _ = try accounts.limits.enterSignUp(from: origin)
    let address = try Self.email(email)
    guard user.email == nil || user.email == address else {
      throw AccountError(.operationNotAllowed, "The account has a different email address.")
    }
    var change = UserUpdate()
    change.email = .set(email)
    change.password = .set(password)
    let caller = PasswordCaller(origin, account: name(user.uid), isSignUp: true)
    let prepared = try PreparedUpdate(change) { try newHash($0, for: caller) }
    let changed = try write { users in
      try users.change(user.uid) { current in
        guard current.accepts(token) else { throw AccountError(.tokenExpired) }
        try prepared.apply(to: &current, at: now)
        return current
      }
    }
    // There was no new sign-in: the tokens keep the time of the earlier sign-in. An anonymous
    // account had none.
    var facts = token.signIn
    facts.provider = "password"
    if user.isAnonymous { facts.time = now / 1_000_000 }
    return try renew(changed, facts)
  }

  /// Checks that a token is recent, so that the finder of one left behind cannot take the account;
  /// an anonymous account has no other way to be taken.
  func checkFresh(_ user: User, _ token: IDToken) throws {
    guard user.isAnonymous || now / 1_000_000 - token.signIn.time <= 300 else {
      throw AccountError(.credentialTooOld)
    }
  }

  /// Deletes the account of an ID token's holder, who signed in during the last five minutes.
  package func deleteOwn(idToken: String) throws {
    guard try configuration().allowsDeletion else { throw AccountError(.adminOnlyOperation) }
    let (user, token) = try signedIn(idToken)
    try checkFresh(user, token)
    try write { users in
      let current = try users.user(user.uid)
      guard current.accepts(token) else { throw AccountError(.tokenExpired) }
      try users.delete(current)
    }
  }
}
