import Access
import Authentication
import BaseJSON
import BaseStatus
import BaseText

/// The administrators of the console: accounts of the server's own scope, which no route of an app's accounts
/// reaches, with their invitations and sessions.
///
/// A session is a ticket of that scope, so it outlives a restart and is swept with the others. All calls but
/// `tokens` block, some for as long as hashing a password takes. Any thread may call.
package final class Administrators: Sendable {
  let accounts: Accounts
  let sessions: AdministratorSessions
  let challenges: PasskeyChallenges
  /// True if signing in always takes a second factor.
  let requiresSecondFactor: Bool

  /// Seconds for which a sign-in is recent unless the operator says otherwise.
  package static let recentSignIn: Int64 = 900

  /// The administrators among those accounts.
  ///
  /// - Parameter recentSignIn: Seconds for which a sign-in allows what takes a recent one.
  package init(_ accounts: Accounts, requiresSecondFactor: Bool, recentSignIn: Int64 = recentSignIn)
  {
    self.accounts = accounts
    self.requiresSecondFactor = requiresSecondFactor
    let clock = accounts.configuration.clock
    let sessions = AdministratorSessions(
      recent: recentSignIn,
      account: { try Self.holder($0, in: accounts[.server]) },
      now: { clock.now() }
    )
    self.sessions = sessions
    challenges = PasskeyChallenges(random: accounts.configuration.random) { clock.now() }
    accounts.onRevocation { revocation in
      switch revocation {
      case .user(.server, let uid): sessions.end(uid: uid)
      case .user, .everybody: break
      }
    }
  }

  /// The choke point's view of the page's tokens.
  package var tokens: any AdministratorTokens { sessions }

  /// The accounts of the server's own scope.
  var scope: ProjectAccounts { accounts[.server] }
  /// Seconds since 1970.
  var now: Int64 { accounts.configuration.clock.now() / 1_000_000 }

  // MARK: Accounts

  /// The administrator of a uid as the account is now, with the session that is valid; nil where it is gone or disabled.
  private static func holder(
    _ uid: Text,
    in scope: ProjectAccounts
  ) throws -> (holder: SignedInAdministrator, session: Int64)? {
    guard let user = try scope.user(uid), !user.isDisabled,
      let account = AdministratorAccount(user)
    else { return nil }
    let holder = SignedInAdministrator(uid: user.uid, email: account.email, roles: account.roles)
    return (holder, user.session)
  }

  /// All administrators by address.
  func list() throws -> [AdministratorAccount] {
    try scope.list().users.compactMap(AdministratorAccount.init).sorted { $0.email < $1.email }
  }

  /// Returns true if there is an administrator of that address.
  func isKnown(_ email: String) throws -> Bool { try scope.user(email: email) != nil }

  /// Returns true if no administrator could sign in.
  package func isEmpty() throws -> Bool { try list().isEmpty }

  /// The administrators for people: a line each.
  package func lines() throws -> [String] {
    try list().map { account in
      let notes = [
        account.hasSecondFactor ? nil : "no second factor", account.isDisabled ? "disabled" : nil,
      ]
      return ([account.email, account.roles.text] + notes.compactMap(\.self))
        .joined(separator: "  ")
    }
  }

  /// Takes an administrator's account with every open link for that address; at least one owner stays.
  ///
  /// An address that has open links alone loses them.
  package func remove(_ email: String) throws {
    guard try isKnown(email) else {
      guard try !scope.endListedTickets(Self.links(for: email, by: nil)).isEmpty else {
        throw Self.noAdministrator(email)
      }
      return
    }
    let account = try account(email)
    try keepAnOwner(without: account)
    try scope.delete(account.uid, ending: Self.links(for: account.email, by: account.uid))
  }

  /// Gives an administrator other roles, and ends the sessions and every open link for that address; at least one owner of
  /// the server stays.
  func setRoles(_ roles: AdministratorRoles, of email: String) throws {
    let account = try account(email)
    if roles.server != .owner { try keepAnOwner(without: account) }
    var update = UserUpdate()
    update.customClaims = .set(Self.claims(of: roles))
    // Ends the tokens that say the old roles.
    update.validSince = now
    _ = try scope.update(
      account.uid,
      update,
      ending: Self.links(for: account.email, by: account.uid)
    )
  }

  /// The claims of roles, as the account keeps them.
  private static func claims(of roles: AdministratorRoles) -> String {
    JSONValue.object(roles.members).compact
  }

  private func account(_ email: String) throws -> AdministratorAccount {
    guard let user = try scope.user(email: email), let account = AdministratorAccount(user) else {
      throw Self.noAdministrator(email)
    }
    return account
  }

  private static func noAdministrator(_ email: String) -> ServiceError {
    ServiceError(.notFound, "There is no administrator \(email.prefix(300)).")
  }

  private func keepAnOwner(without account: AdministratorAccount) throws {
    let others = try list().filter {
      $0.roles.server == .owner && !$0.isDisabled && $0.uid != account.uid
    }
    guard account.roles.server != .owner || !others.isEmpty else {
      throw ServiceError(.failedPrecondition, "The last owner can't be removed.")
    }
  }

  // MARK: Invitations

  private static let invitationKind = TicketKind(rawValue: "console-invitation")

  /// Returns the open links that end with a change of an account: those for its address, those that
  /// it made, and those for no address, which any holder can use.
  ///
  /// - Parameter maker: The account; nil where only the address changes hands.
  private static func links(for email: String, by maker: Text?) -> TicketEnding {
    let address = EmailAddress(email)
    return TicketEnding(invitationKind) { link in
      if EmailAddress(link.subject) == address { return true }
      guard let maker else { return false }
      return link.subject.isEmpty || link.payload["maker"]?.string == maker.string
    }
  }

  /// Returns the code of a new invitation, for a link that is used once; a person with an account
  /// who accepts it gets another password, second factor and roles.
  ///
  /// Older links for the same address end.
  ///
  /// - Parameters:
  ///   - lifetime: In seconds.
  ///   - maker: The owner who invites; nil for commands.
  package func invite(
    email: String?,
    roles: AdministratorRoles,
    lifetime: Int64,
    by maker: SignedInAdministrator? = nil
  ) throws -> String {
    if let email, EmailAddress(email) == nil { throw Self.badAddress }
    let secret = accounts.configuration.random.bytes(20)
    let invitation = Invitation(email: email, roles: roles, secret: secret, maker: maker)
    return try scope.issueListedTicket(
      Self.invitationKind,
      about: email ?? "",
      invitation.payload,
      lifetime: lifetime,
      ending: email.map { Self.links(for: $0, by: nil) }
    )
  }

  /// The unused links, the oldest first.
  package func openInvitations() throws -> [OpenInvitation] {
    try scope.listedTickets(Self.invitationKind).compactMap(OpenInvitation.init)
  }

  /// Ends an open link; false where there is none of that id.
  package func endInvitation(_ id: String) throws -> Bool {
    try !scope.endListedTickets(TicketEnding(Self.invitationKind) { $0.id == id }).isEmpty
  }

  /// The set-up link of a code; the part after the number sign is in no log and no other page's
  /// address.
  package static func link(_ code: String, origin: String) -> String {
    "\(origin)/console#invitation=\(code)"
  }

  /// The invitation of a code.
  func invitation(_ code: String) throws -> Invitation {
    try Self.invitation(of: try known { try scope.listedTicket(Self.invitationKind, code) })
  }

  /// Makes the account that an invitation is for, or its owner's new password and second factor, and signs in.
  ///
  /// The write that creates the account uses up the link: a link that was ended before creates
  /// none.
  ///
  /// - Parameter factorCode: A first code of the second factor; nil leaves it out where it may be.
  /// - Returns: Also the recovery codes, none without a second factor.
  func accept(
    _ code: String,
    email chosen: String?,
    password: String,
    factorCode: String?
  ) throws -> (secret: String, email: String, recoveryCodes: [String]) {
    let ticket = try known { try scope.listedTicket(Self.invitationKind, code) }
    let invitation = try Self.invitation(of: ticket)
    guard let email = invitation.email ?? chosen, EmailAddress(email) != nil else {
      throw Self.badAddress
    }
    try Self.policy.check(password)
    let factors = try secondFactors(invitation, factorCode)
    let user = try known { try account(of: invitation, ticket, email, password, factors) }
    let codes = try factors.isEmpty ? [] : scope.makeRecoveryCodes(user.uid)
    return (try begin(user), email, codes)
  }

  /// The account that an invitation creates, or resets.
  private func account(
    of invitation: Invitation,
    _ ticket: ListedTicket,
    _ email: String,
    _ password: String,
    _ factors: [SecondFactor]
  ) throws -> User {
    let claims = Self.claims(of: invitation.roles)
    guard let existing = try scope.user(email: email) else {
      var draft = NewUser(email: email, password: password)
      draft.isEmailVerified = true
      draft.customClaims = claims
      draft.secondFactors = factors
      return try scope.create(draft, redeeming: ticket)
    }
    guard invitation.email != nil else {
      throw ServiceError(.alreadyExists, "An administrator with this address already exists.")
    }
    var update = UserUpdate()
    update.password = .set(password)
    update.customClaims = .set(claims)
    update.secondFactors = factors
    update.removesPasskeys = true
    update.isDisabled = false
    return try scope.update(existing.uid, update, redeeming: ticket)
  }

  private func secondFactors(_ invitation: Invitation, _ code: String?) throws -> [SecondFactor] {
    guard let code, !code.isEmpty else {
      guard !requiresSecondFactor else { throw Self.wrongCode }
      return []
    }
    let step = TOTP.step(
      of: code,
      secret: invitation.secret,
      at: now,
      adjacent: 1,
      after: 0
    )
    guard let step else { throw Self.wrongCode }
    let proof = SecondFactor.Proof.totp(secret: invitation.secret, lastStep: step)
    let id = Base64.url(accounts.configuration.random.bytes(21))
    return [SecondFactor(id: Text(id), enrolledAt: now * 1_000, proof: proof)]
  }

  private static func invitation(of ticket: ListedTicket) throws -> Invitation {
    guard let invitation = Invitation(ticket.payload) else { throw overLink }
    return invitation
  }

  private func known<R>(_ body: () throws -> R) throws -> R {
    do { return try body() } catch is Ticket.Problem { throw Self.overLink }
  }

  // MARK: Signing in

  /// The result of a right password.
  enum SignIn: Sendable {
    /// The secret of a session.
    case session(String)
    /// A code of the second factor has to follow, with these two.
    case needsSecondFactor(pending: String, factor: String)
  }

  /// Signs in with address and password.
  ///
  /// - Parameter device: The token of a device in which the administrator signed in before.
  func signIn(
    email: String,
    password: String,
    from address: String,
    device: String? = nil
  ) throws -> SignIn {
    let outcome = try scope.signIn(
      email: email,
      password: password,
      from: .client(address: address),
      device: device.flatMap { try self.device(of: $0, for: email) }
    )
    switch outcome {
    case .needsSecondFactor(let user, let pending):
      let factor = user.secondFactors.first?.id.string ?? ""
      return .needsSecondFactor(pending: pending, factor: factor)
    case .signedIn(let session):
      guard !requiresSecondFactor else {
        throw ServiceError(
          .failedPrecondition,
          "This account has no second factor. Ask an owner for a new link, or run `brasa console invite`."
        )
      }
      return .session(try begin(session.user))
    }
  }

  /// Signs in with password and second factor, or a recovery code, at once; returns the secret of the session.
  ///
  /// Wrong passwords from elsewhere do not stop it (`ProjectAccounts.signIn(email:password:code:from:)`).
  func signIn(
    email: String,
    password: String,
    code: String,
    from address: String
  ) throws -> String {
    let session = try scope.signIn(
      email: email,
      password: password,
      code: code,
      from: .client(address: address)
    )
    return try begin(session.user)
  }

  /// Gives the second factor, or a recovery code in its place; returns the secret of the session and the address.
  func finishSignIn(
    pending: String,
    factor: String,
    code: String
  ) throws -> (secret: String, email: String) {
    let session =
      try RecoveryCode.isForm(of: code)
      ? scope.finishSignIn(pendingCredential: pending, recoveryCode: code)
      : scope.finishSignIn(pendingCredential: pending, factor: Text(factor), code: code)
    return (try begin(session.user), session.user.email?.string ?? "")
  }

  // MARK: Sessions

  private static let sessionKind = TicketKind(rawValue: "console-session")
  /// Seconds for which a session lasts.
  static let sessionLifetime: Int64 = 12 * 3_600

  /// Begins a session of a user; returns its secret.
  func begin(_ user: User) throws -> String {
    let payload = JSONValue.object([
      .init("uid", .string(user.uid.string)), .init("session", .integer(user.session)),
      .init("began", .integer(now)), .init("end", .integer(now + Self.sessionLifetime)),
    ])
    return try scope.issueTicket(Self.sessionKind, payload, lifetime: Self.sessionLifetime)
  }

  /// A new token for the holder of a session's secret, with the seconds that are left of the session.
  ///
  /// UNAUTHENTICATED where the session has ended.
  func makeToken(
    session: String
  ) throws -> (token: String, holder: SignedInAdministrator, secondsLeft: Int64) {
    let (holder, began, end) = try holder(ofSession: session)
    let token =
      AccessControl.administratorTokenPrefix
      + Base64.url(accounts.configuration.random.bytes(32))
    sessions.insert(token, of: holder, session: session, began: began)
    do {
      // A caller that ended the session in the meantime may have looked for its tokens before this
      // one existed.
      return (token, try self.holder(ofSession: session).0, max(0, end - now))
    } catch {
      sessions.end(session: session)
      throw error
    }
  }

  /// A token by which an administrator looks at data of a project as a user; it ends with the session of the
  /// administrator's own token.
  func makeViewToken(
    _ user: BearerUser,
    of project: Text,
    by holder: SignedInAdministrator?,
    _ own: Substring
  ) -> String {
    let token =
      AccessControl.viewTokenPrefix + Base64.url(accounts.configuration.random.bytes(32))
    let identity = UserIdentity(
      project: project,
      uid: user.uid,
      claims: user.claims,
      expiry: user.expiry,
      issued: user.issued,
      session: user.session
    )
    let session = sessions.session(of: own) ?? ""
    sessions.insert(token, viewing: identity, by: holder, session: session)
    return token
  }

  /// Returns the administrator of a session, and its first and last second since 1970; a session
  /// without a beginning counts as begun long ago.
  private func holder(
    ofSession session: String
  ) throws -> (SignedInAdministrator, began: Int64, end: Int64) {
    let ticket: Ticket
    do {
      ticket = try scope.ticket(Self.sessionKind, session)
    } catch is Ticket.Problem {
      throw Self.endedSession
    }
    guard let uid = ticket.payload["uid"]?.string,
      let found = try Self.holder(Text(uid), in: scope),
      ticket.payload["session"]?.integer == found.session
    else { throw Self.endedSession }
    return (
      found.holder, ticket.payload["began"]?.integer ?? 0,
      ticket.payload["end"]?.integer ?? now + Self.sessionLifetime
    )
  }

  /// Ends the session of a token, with all its tokens.
  func signOut(token: Substring) throws {
    guard let session = sessions.session(of: token) else { return }
    defer { sessions.end(session: session) }
    do {
      _ = try scope.redeemTicket(Self.sessionKind, session)
    } catch is Ticket.Problem {
      // The session expired in the meantime.
    }
  }

  // MARK: Errors

  private static let policy: PasswordPolicy = {
    var policy = PasswordPolicy()
    policy.minimumLength = 12
    policy.refusesCommon = true
    return policy
  }()

  private static let badAddress = ServiceError.invalidArgument("This is not a valid email address.")
  private static let wrongCode = ServiceError.invalidArgument(
    "The code of the authenticator app is wrong."
  )
  private static let overLink = ServiceError(
    .failedPrecondition,
    "This link is no longer valid: a link works once and expires."
  )
  static let endedSession = ServiceError(.unauthenticated, "The session has ended.")
}
