import BaseJSON
import BaseText

// Enrolling time-based codes as a second factor, and giving them.

/// The secret for a user's authenticator program, and the ticket that finishes the enrolment.
package struct Enrollment: Sendable {
  /// Base32.
  package let secret: String
  /// The ticket that the client finishes the enrolment with, usable once.
  package let sessionInfo: String
  /// Seconds since 1970.
  package let end: Int64
}

extension ProjectAccounts {
  /// The second factors that a user may have.
  package static let maximumSecondFactors = 5

  /// Begins to enrol time-based codes for the holder of an ID token.
  package func beginEnrollment(idToken: String) throws -> Enrollment {
    guard try configuration().allowsTOTP else {
      throw AccountError(.operationNotAllowed, "TOTP based MFA not enabled.")
    }
    let (user, token) = try signedIn(idToken)
    try checkMayEnroll(user, token)
    try checkFresh(user, token)
    try accounts.limits.enterEnrollment(account: name(user.uid))
    let secret = random.bytes(20)
    let payload = JSONValue.object([
      .init("uid", .string(user.uid.string)), .init("session", .integer(user.session)),
      .init("secret", .string(Base64.url(secret))),
    ])
    let lifetime: Int64 = 600
    return Enrollment(
      secret: TOTP.base32(secret),
      sessionInfo: try issueTicket(.enrollment, payload, lifetime: lifetime),
      end: now / 1_000_000 + lifetime
    )
  }

  /// Finishes an enrolment with a first code; tokens of the session say then that it was given.
  package func finishEnrollment(
    idToken: String,
    sessionInfo: String,
    code: String,
    displayName: String?
  ) throws -> Session {
    let (user, token) = try signedIn(idToken)
    try checkMayEnroll(user, token)
    let name = try displayName.map { try Self.bounded($0, "DISPLAY_NAME") }
    let adjacent = try configuration().adjacentIntervals
    let id = Text(random.text(28))
    let changed = try countingSecondFactor(user.uid) {
      try write { users in
        let ticket = try enrollment(sessionInfo, of: user, users)
        guard let secret = ticket.payload["secret"]?.string.flatMap(Base64.decode),
          let step = step(of: code, secret, adjacent, after: 0)
        else { throw AccountError(.invalidCode) }
        try ticket.redeem(in: users.group)
        return try users.change(user.uid) { current in
          guard current.accepts(token) else { throw AccountError(.tokenExpired) }
          // A user may have enrolled one since, which this session has not proven.
          try checkMayEnroll(current, token)
          current.secondFactors.append(
            SecondFactor(
              id: id,
              displayName: name,
              enrolledAt: now / 1_000,
              proof: .totp(secret: secret, lastStep: step)
            )
          )
          return current
        }
      }
    }
    var facts = token.signIn
    facts.secondFactor = .init(id: id, kind: "totp")
    return try renew(changed, facts)
  }

  /// Takes a second factor from the holder of an ID token.
  package func withdraw(idToken: String, factor id: Text) throws -> Session {
    let (user, token) = try signedIn(idToken)
    guard token.signIn.secondFactor != nil else { throw AccountError(.credentialTooOld) }
    try checkFresh(user, token)
    let changed = try write { users in
      try users.change(user.uid) { current in
        guard current.accepts(token) else { throw AccountError(.tokenExpired) }
        guard current.secondFactors.contains(where: { $0.id == id }) else {
          throw AccountError(.secondFactorNotFound)
        }
        current.secondFactors.removeAll { $0.id == id }
        return current
      }
    }
    var facts = token.signIn
    if facts.secondFactor?.id == id { facts.secondFactor = nil }
    return try renew(changed, facts)
  }

  /// Gives the second factor that a sign-in waits for.
  package func finishSignIn(
    pendingCredential: String,
    factor id: Text,
    code: String
  ) throws -> Session {
    let adjacent = try configuration().adjacentIntervals
    let factor = SignInFacts.Factor(id: id, kind: "totp")
    return try finishSignIn(pendingCredential: pendingCredential, by: factor) { user in
      try accept(code, factor: id, adjacent, of: &user)
    }
  }

  /// Ends the wait of a sign-in for the second factor that `prove` finds given, in the group that begins the session.
  func finishSignIn(
    pendingCredential: String,
    by factor: SignInFacts.Factor,
    _ prove: (inout User) throws -> Void
  ) throws -> Session {
    let pending = try pendingSignIn(pendingCredential)
    var facts = pending.facts
    facts.secondFactor = factor
    let whole = facts
    return try countingSecondFactor(pending.uid) {
      try establishWhole(whole) { users in
        let waiting = try asPending {
          try ticket(.pendingSignIn, pendingCredential, in: users.group)
        }
        let user = try users.user(pending.uid)
        guard user.session == pending.session else { throw AccountError(.tokenExpired) }
        let changed = try users.change(user.uid) { user in
          try prove(&user)
          return user
        }
        try waiting.redeem(in: users.group)
        return (changed, false)
      }
    }
  }

  /// Makes the credential that proves the first factor alone.
  func makePendingCredential(_ user: User, _ signIn: SignInFacts) throws -> String {
    var members: [JSONValue.Member] = [
      .init("uid", .string(user.uid.string)), .init("session", .integer(user.session)),
      .init("provider", .string(signIn.provider.string)), .init("time", .integer(signIn.time)),
    ]
    if let claims = signIn.extraClaims { members.append(.init("claims", .string(claims))) }
    return try issueTicket(.pendingSignIn, .object(members), lifetime: 600)
  }

  private func pendingSignIn(
    _ credential: String
  ) throws -> (uid: Text, session: Int64, facts: SignInFacts) {
    let payload = try asPending { try self.ticket(.pendingSignIn, credential).payload }
    guard let uid = payload["uid"]?.string, let session = payload["session"]?.integer,
      let provider = payload["provider"]?.string, let time = payload["time"]?.integer
    else { throw AccountError(.invalidPendingCredential) }
    let facts = SignInFacts(
      provider: Text(provider),
      time: time,
      extraClaims: payload["claims"]?.string
    )
    return (Text(uid), session, facts)
  }

  /// Takes a code of a user's factor, which is good once.
  func accept(
    _ code: String,
    factor id: Text,
    _ adjacent: Int,
    of user: inout User
  ) throws {
    guard let index = user.secondFactors.firstIndex(where: { $0.id == id }),
      case .totp(let secret, let last) = user.secondFactors[index].proof
    else { throw AccountError(.secondFactorNotFound) }
    guard let step = step(of: code, secret, adjacent, after: last) else {
      throw AccountError(.invalidCode)
    }
    user.secondFactors[index].proof = .totp(secret: secret, lastStep: step)
  }

  private func checkMayEnroll(_ user: User, _ token: IDToken) throws {
    guard user.email != nil, user.isEmailVerified else {
      throw AccountError(
        .unverifiedEmail,
        "Need to verify email first before enrolling second factors."
      )
    }
    guard !["anonymous", "phone", "custom", "gc.apple.com"].contains(token.signIn.provider) else {
      throw AccountError(
        .unsupportedFirstFactor,
        "MFA is not available for the given first factor."
      )
    }
    guard user.secondFactors.count < Self.maximumSecondFactors else {
      throw AccountError(.secondFactorLimitExceeded)
    }
    // A first factor alone must not add a way around the second.
    guard user.secondFactors.isEmpty || token.signIn.secondFactor != nil else {
      throw AccountError(.credentialTooOld)
    }
  }

  private func enrollment(_ text: String, of user: User, _ users: UserGroup) throws -> Ticket {
    let found: Ticket
    do {
      found = try ticket(.enrollment, text, in: users.group)
    } catch let problem as Ticket.Problem {
      throw AccountError(problem == .over ? .sessionExpired : .invalidSessionInfo)
    }
    guard found.payload["uid"]?.string.map({ Text($0) }) == user.uid,
      found.payload["session"]?.integer == user.session
    else { throw AccountError(.invalidSessionInfo) }
    return found
  }

  private func step(
    of code: String,
    _ secret: [UInt8],
    _ adjacent: Int,
    after last: Int64
  ) -> Int64? {
    TOTP.step(
      of: code,
      secret: secret,
      at: now / 1_000_000,
      adjacent: adjacent,
      after: last
    )
  }

  func countingSecondFactor<R>(_ uid: Text, _ body: () throws -> R) throws -> R {
    let attempt = try accounts.limits.enterSecondFactor(account: name(uid))
    let result = try body()
    accounts.limits.giveBack(attempt)
    return result
  }

  private func asPending<R>(_ body: () throws -> R) throws -> R {
    do {
      return try body()
    } catch is Ticket.Problem {
      throw AccountError(.invalidPendingCredential)
    }
  }
}
