import BaseText

// Codes that emails carry: made, looked at, used once.

extension ProjectAccounts {
  /// Makes a code for resetting the password of the account with that address.
  ///
  /// None where there is no account and the project hides that; else EMAIL_NOT_FOUND.
  package func makePasswordResetCode(
    email raw: String,
    from origin: RequestOrigin
  ) throws -> AddressedCode {
    let email = try Self.email(raw)
    try enterEmail(email, from: origin)
    guard let user = try read({ try $0.user(email: email) }) else {
      return try hidden(.passwordReset, email, from: origin, else: .emailNotFound)
    }
    guard !user.isDisabled else {
      return try hidden(.passwordReset, email, from: origin, else: .userDisabled)
    }
    return try issue(OneTimeCode(.passwordReset, email: email.string, of: user))
  }

  /// The response that does not reveal if there is an account, if the project hides accounts.
  ///
  /// It takes the same work: a ticket is written that no code opens.
  private func hidden(
    _ purpose: CodePurpose,
    _ email: EmailAddress,
    newEmail: EmailAddress? = nil,
    from origin: RequestOrigin,
    else code: AccountError.Code
  ) throws -> AddressedCode {
    guard origin != .administrator, try configuration().hidesAccounts else {
      throw AccountError(code)
    }
    let nobody = User(uid: Text(random.uid()), at: now)
    let code = OneTimeCode(purpose, email: email.string, newEmail: newEmail?.string, of: nobody)
    return try issue(code, as: .decoy)
  }

  /// Makes a code for verifying the address of a user.
  package func makeVerificationCode(
    _ user: User,
    from origin: RequestOrigin
  ) throws -> AddressedCode {
    guard let email = user.email else { throw AccountError(.missingEmail) }
    try enterEmail(email, from: origin)
    return try issue(OneTimeCode(.verifyEmail, email: email.string, of: user))
  }

  /// Makes a code for signing in at that address, which may have no account yet.
  package func makeSignInCode(
    email raw: String,
    from origin: RequestOrigin
  ) throws -> AddressedCode {
    guard try configuration().allowsEmailLink else { throw AccountError(.operationNotAllowed) }
    let email = try Self.email(raw)
    try enterEmail(email, from: origin)
    return try issue(OneTimeCode(.emailSignIn, email: email.string))
  }

  /// Makes a code for giving a user another address, which the email goes to.
  ///
  /// None where another account has the address and the project hides that; else EMAIL_EXISTS. A
  /// caller with an ID token of a sign-in during the last five minutes.
  package func makeEmailChangeCode(
    _ user: User,
    signedInBy token: IDToken? = nil,
    newEmail raw: String,
    from origin: RequestOrigin
  ) throws -> AddressedCode {
    let new = try Self.email(raw)
    if let token { try checkFresh(user, token) }
    guard let old = user.email else { throw AccountError(.missingEmail) }
    try enterEmail(new, from: origin)
    guard try read({ try $0.owner(AccountKey.email(scope, new)) }) == nil else {
      return try hidden(
        .verifyAndChangeEmail,
        old,
        newEmail: new,
        from: origin,
        else: .emailExists
      )
    }
    return try issue(
      OneTimeCode(.verifyAndChangeEmail, email: old.string, newEmail: new.string, of: user)
    )
  }

  /// Makes a code for taking a change of address back, for an email to the old one.
  package func makeRecoveryCode(_ change: AddressChange) throws -> AddressedCode {
    try issue(
      OneTimeCode(
        .recoverEmail,
        email: change.old.string,
        newEmail: change.new?.string,
        of: change.user
      )
    )
  }

  /// Returns the purpose and data of a code, without using it; throws INVALID_OOB_CODE or
  /// EXPIRED_OOB_CODE.
  package func inspect(code: String, from origin: RequestOrigin) throws -> OneTimeCode {
    try guessing(from: origin) {
      try OneTimeCode(payload: try ticket(.oneTimeCode, code).payload)
    }
  }

  /// Sets the password by a code of an email: its address is verified then, older tokens end.
  package func resetPassword(
    code: String,
    newPassword: String,
    from origin: RequestOrigin
  ) throws -> (code: OneTimeCode, user: User) {
    guard try inspect(code: code, from: origin).purpose == .passwordReset else {
      throw AccountError(.invalidOobCode)
    }
    let caller = PasswordCaller(origin, account: name(Text(code)))
    let hash = try newHash(newPassword, for: caller)
    let done = try use(code, from: origin) { code, users in
      guard code.purpose == .passwordReset else { throw AccountError(.invalidOobCode) }
      return try changeUser(of: code, users) { user in
        guard !user.isDisabled else { throw AccountError(.userDisabled) }
        if !user.isEmailVerified { user.dropCredentials() }
        user.password = hash
        user.passwordUpdatedAt = now / 1_000
        user.isEmailVerified = true
        user.revoke(at: now)
      }
    }
    if let email = done.user.email { accounts.limits.befriend(account: name(email), origin) }
    return done
  }

  /// Applies a code: verifies an address, changes it, or reverts a change.
  ///
  /// `change` has the address that the user had verified before.
  package func apply(
    code: String,
    from origin: RequestOrigin
  ) throws -> (code: OneTimeCode, user: User, change: AddressChange?) {
    var before: User?
    let (code, user) = try use(code, from: origin) { code, users in
      before = try code.uid.flatMap { try users.users.user($0) }
      switch code.purpose {
      case .verifyEmail:
        return try changeUser(of: code, users) { $0.isEmailVerified = true }
      case .verifyAndChangeEmail:
        let new = try code.newEmail.map(Self.email)
        return try changeUser(of: code, users) { user in
          if user.initialEmail == nil { user.initialEmail = user.email }
          user.email = new
          user.isEmailVerified = true
          user.revoke(at: now)
        }
      case .recoverEmail:
        let old = try Self.email(code.email)
        return try changeUser(of: code, users, checksEmail: false) { user in
          guard user.email != old else { throw AccountError(.invalidOobCode) }
          user.email = old
          user.isEmailVerified = true
          user.revoke(at: now)
        }
      case .passwordReset, .emailSignIn: throw AccountError(.invalidOobCode)
      }
    }
    let change = code.purpose == .verifyAndChangeEmail ? AddressChange(from: before, to: user) : nil
    return (code, user, change)
  }

  /// Signs in by the code of an email, or with `idToken` adds the address to that account.
  package func signIn(
    emailCode code: String,
    email raw: String,
    idToken: String? = nil,
    from origin: RequestOrigin
  ) throws -> SignInOutcome {
    let configuration = try configuration()
    guard configuration.allowsEmailLink else { throw AccountError(.operationNotAllowed) }
    let email = try Self.email(raw)
    let holder = try idToken.map { try signedIn($0) }
    // A first address is a way to sign in, which the holder of a stolen token must not add.
    if let holder, holder.user.email == nil { try checkFresh(holder.user, holder.token) }
    let outcome = try guessing(from: origin) {
      try establish(signIn(by: "password")) { users in
        let ticket = try ticket(.oneTimeCode, code, in: users.group)
        let content = try OneTimeCode(payload: ticket.payload)
        guard content.purpose == .emailSignIn else { throw AccountError(.invalidOobCode) }
        guard try Self.email(content.email) == email else {
          throw AccountError(
            .invalidEmail,
            "The email provided does not match the sign-in email address."
          )
        }
        try ticket.redeem(in: users.group)
        if let holder { return (try adopt(email, holder, users), false) }
        if let user = try users.users.user(email: email) {
          return (try admit(user, users), false)
        }
        guard configuration.allowsSignUp else { throw AccountError(.adminOnlyOperation) }
        var user = User(uid: Text(random.uid()), at: now)
        user.email = email
        user.isEmailVerified = true
        user.hasEmailLink = true
        try users.insert(user)
        return (user, true)
      }
    }
    accounts.limits.befriend(account: name(email), origin)
    return outcome
  }

  /// The address becomes that of an account which had none, or is verified.
  private func adopt(
    _ email: EmailAddress,
    _ holder: (user: User, token: IDToken),
    _ users: UserGroup
  ) throws -> User {
    try users.change(holder.user.uid) { user in
      guard user.accepts(holder.token) else { throw AccountError(.tokenExpired) }
      guard user.email == nil || user.email == email else {
        throw AccountError(.operationNotAllowed, "The account has a different email address.")
      }
      user.email = email
      user.isEmailVerified = true
      user.hasEmailLink = true
      return user
    }
  }

  /// Signs in the reader of an address's emails; if the address was not verified, the account's
  /// other credentials are dropped.
  private func admit(_ user: User, _ users: UserGroup) throws -> User {
    guard !user.isDisabled else { return user }
    return try users.change(user.uid) { user in
      if !user.isEmailVerified {
        user.dropCredentials()
        user.revoke(at: now)
      }
      user.isEmailVerified = true
      user.hasEmailLink = true
      return user
    }
  }

  private func issue(
    _ code: OneTimeCode,
    as kind: TicketKind = .oneTimeCode
  ) throws -> AddressedCode {
    let written = try issueTicket(kind, code.payload, lifetime: code.purpose.lifetime)
    return AddressedCode(
      text: kind == .decoy ? nil : written,
      written: written,
      email: code.email,
      newEmail: code.newEmail
    )
  }

  private func enterEmail(_ email: EmailAddress, from origin: RequestOrigin) throws {
    _ = try accounts.limits.enterEmail(account: name(email), from: origin)
  }

  /// Uses a code in one group with what it does.
  private func use(
    _ text: String,
    from origin: RequestOrigin,
    _ body: (OneTimeCode, UserGroup) throws -> User
  ) throws -> (code: OneTimeCode, user: User) {
    try guessing(from: origin) {
      try write { users in
        let ticket = try ticket(.oneTimeCode, text, in: users.group)
        let code = try OneTimeCode(payload: ticket.payload)
        let user = try body(code, users)
        try ticket.redeem(in: users.group)
        return (code, user)
      }
    }
  }

  /// Changes the user of a code, as long as the code is not void.
  private func changeUser(
    of code: OneTimeCode,
    _ users: UserGroup,
    checksEmail: Bool = true,
    _ body: (inout User) throws -> Void
  ) throws -> User {
    guard let uid = code.uid, let user = try users.users.user(uid) else {
      throw AccountError(.invalidOobCode)
    }
    if checksEmail {
      guard user.email?.string == code.email, user.session == code.session else {
        throw AccountError(.invalidOobCode)
      }
    }
    return try users.change(uid) { user in
      try body(&user)
      return user
    }
  }

  /// Counts a code as tried, and gives it back when it was good.
  private func guessing<R>(from origin: RequestOrigin, _ body: () throws -> R) throws -> R {
    let attempt = try accounts.limits.enterCode(from: origin)
    do {
      let result = try body()
      accounts.limits.giveBack(attempt)
      return result
    } catch let problem as Ticket.Problem {
      throw AccountError(problem == .over ? .expiredCode : .invalidOobCode)
    }
  }
}
