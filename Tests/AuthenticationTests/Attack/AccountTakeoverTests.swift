import BaseText
import KeyValueStore
import Testing

@testable import Authentication

/// Attacks on accounts by those who found a token, hold another account, or know one secret too few.
struct AccountTakeoverTests {
  private let fixture: AccountsFixture
  private var project: ProjectAccounts { fixture.project }

  init() throws { fixture = try AccountsFixture() }

  private func identity(_ rawID: Text, _ email: String? = nil) -> ProviderIdentity {
    ProviderIdentity(
      profile: LinkedProvider(providerID: "google.com", rawID: rawID, email: email),
      isEmailVerified: email != nil
    )
  }

  private func ana(_ email: String = "ana@example.com") throws -> Session {
    try project.signUp(email: email, password: "her own password", from: .somewhere)
  }

  // MARK: Linking

  @Test func `linking a provider is no fresh sign-in`() throws {
    let found = try ana()
    fixture.clock.advance(seconds: 301)
    let linked = try project.link(identity("thief"), idToken: found.idToken)
    #expect(linked.signIn.time == found.signIn.time)
    var change = ProjectAccounts.OwnUpdate()
    change.password = "the thief's password"
    expect(.credentialTooOld) {
      _ = try project.updateOwn(idToken: linked.idToken, change, from: .elsewhere)
    }
    expect(.credentialTooOld) { try project.deleteOwn(idToken: linked.idToken) }
  }

  @Test func `a password that is added makes no old sign-in fresh`() throws {
    let found = try ana()
    fixture.clock.advance(seconds: 200)
    let linked = try project.linkPassword(
      idToken: found.idToken,
      email: "ana@example.com",
      password: "another password",
      from: .somewhere
    )
    fixture.clock.advance(seconds: 200)
    expect(.credentialTooOld) { try project.deleteOwn(idToken: linked.idToken) }
  }

  @Test func `an anonymous account that is upgraded is as one that signed in`() throws {
    let guest = try project.signUpAnonymously(from: .somewhere)
    fixture.clock.advance(seconds: 1_000)
    let linked = try project.link(identity("g-1"), idToken: guest.idToken)
    try project.deleteOwn(idToken: linked.idToken)
  }

  @Test func `an identity that is linked is not linked again, nor an address of another`()
    throws
  {
    let first = try ana()
    let second = try ana("bia@example.com")
    _ = try project.link(identity("g-1"), idToken: first.idToken)
    for token in [first.idToken, second.idToken] {
      expect(.federatedUserIDAlreadyLinked) {
        _ = try project.link(identity("g-1"), idToken: token)
      }
    }
    expect(.emailExists) {
      _ = try project.link(identity("g-2", "ana@example.com"), idToken: second.idToken)
    }
    #expect(try project.user(second.user.uid)?.providers.isEmpty == true)
  }

  @Test func `100 links of one identity at once are one link`() async throws {
    let sessions = try (0..<4).map { _ in try project.signUpAnonymously(from: .somewhere) }
    let linked = await Concurrently.count(100) { [project] index in
      let token = sessions[index % 4].idToken
      return (try? project.link(identity("g-1"), idToken: token)) != nil
    }
    #expect(linked == 1)
    let owner = try #require(try project.user(provider: "google.com", rawID: "g-1"))
    let holders = try sessions.filter {
      try project.user($0.user.uid)?.provider("google.com") != nil
    }
    #expect(holders.map(\.user.uid) == [owner.uid])
  }

  // MARK: Tokens

  @Test func `stolen, expired and foreign tokens open no change of an account`() throws {
    let other = fixture.accounts.project("another-shop")
    let foreign = try other.signUpAnonymously(from: .somewhere).idToken
    try expectEveryCallRefuses(foreign, with: .invalidIDToken)
    let revoked = try ana()
    try project.revoke(revoked.user.uid)
    try expectEveryCallRefuses(revoked.idToken, with: .tokenExpired)
    let expired = try ana("bia@example.com")
    try expectEveryCallRefuses(expired.refreshToken, with: .invalidIDToken)
    let cookie = try project.makeSessionCookie(idToken: expired.idToken, lifetime: 86_400)
    try expectEveryCallRefuses(cookie, with: .invalidIDToken)
    fixture.clock.advance(seconds: 3_601)
    try expectEveryCallRefuses(expired.idToken, with: .tokenExpired)
  }

  private func expectEveryCallRefuses(
    _ token: String,
    with code: AccountError.Code,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let calls: [() throws -> Void] = [
      { _ = try project.link(identity("x"), idToken: token) },
      {
        _ = try project.linkPassword(
          idToken: token,
          email: "x@example.com",
          password: "some password",
          from: .elsewhere
        )
      }, { _ = try project.updateOwn(idToken: token, .init(), from: .elsewhere) },
      { try project.deleteOwn(idToken: token) },
      { _ = try project.beginEnrollment(idToken: token) },
      { _ = try project.withdraw(idToken: token, factor: "x") },
      {
        _ = try project.finishEnrollment(
          idToken: token,
          sessionInfo: "x",
          code: "000000",
          displayName: nil
        )
      }, { _ = try project.makeSessionCookie(idToken: token, lifetime: 3_600) },
    ]
    for call in calls { expect(code, sourceLocation: sourceLocation, call) }
  }

  // MARK: Addresses

  @Test func `a token that was left behind sends no email that changes the address`() throws {
    let found = try ana()
    fixture.clock.advance(seconds: 301)
    let (user, token) = try project.signedIn(found.idToken)
    expect(.credentialTooOld) {
      _ = try project.makeEmailChangeCode(
        user,
        signedInBy: token,
        newEmail: "thief@example.com",
        from: .elsewhere
      )
    }
  }

  @Test func `a token that was left behind adds no first address`() throws {
    let google = try project.signIn(identity("g-1"), from: .somewhere)
    guard case .outcome(let outcome, _) = google, let found = outcome.session else {
      Issue.record("no session")
      return
    }
    let code = try #require(
      try project.makeSignInCode(email: "thief@example.com", from: .elsewhere).text
    )
    fixture.clock.advance(seconds: 301)
    expect(.credentialTooOld) {
      _ = try project.signIn(
        emailCode: code,
        email: "thief@example.com",
        idToken: found.idToken,
        from: .elsewhere
      )
    }
    #expect(try project.user(found.user.uid)?.email == nil)
  }

  @Test func `one code of a change counts once, and the others end with it`() throws {
    let user = try ana().user
    func code(_ email: String) throws -> String {
      let made = try project.makeEmailChangeCode(user, newEmail: email, from: .somewhere)
      return try #require(made.text)
    }
    let typo = try code("typo@example.com")
    let right = try code("right@example.com")
    _ = try project.apply(code: right, from: .somewhere)
    for used in [right, typo] {
      expect(.invalidOobCode) { _ = try project.apply(code: used, from: .somewhere) }
    }
    #expect(try project.user(user.uid)?.email?.string == "right@example.com")
    // Another project's server has no such code, whatever else it is.
    expect(.invalidOobCode) {
      _ = try fixture.accounts.project("another-shop").inspect(code: typo, from: .somewhere)
    }
  }

  @Test func `an address that is somebody else's by now is not taken back`() throws {
    var verify = UserUpdate()
    verify.isEmailVerified = true
    let user = try project.update(try ana().user.uid, verify)
    let code = try #require(
      try project.makeEmailChangeCode(user, newEmail: "new@example.com", from: .somewhere).text
    )
    let done = try project.apply(code: code, from: .somewhere)
    let change = try #require(done.change)
    let back = try #require(try project.makeRecoveryCode(change).text)
    let next = try ana()
    expect(.emailExists) { _ = try project.apply(code: back, from: .somewhere) }
    #expect(try project.user(email: "ana@example.com")?.uid == next.user.uid)
    #expect(try project.user(user.uid)?.email?.string == "new@example.com")
  }

  @Test func `an email for nobody takes the same work as one that is sent`() throws {
    _ = try ana()
    func work(_ email: String) throws -> [Int] {
      let before = try ticketSizes()
      _ = try project.makePasswordResetCode(email: email, from: .somewhere)
      return Array(try ticketSizes().dropFirst(before.count))
    }
    let sent = try work("ana@example.com")
    let hidden = try work("bia@example.com")
    #expect(sent.count == 1 && sent == hidden)
    let made = try project.makePasswordResetCode(email: "bia@example.com", from: .somewhere)
    #expect(made.text == nil)
    expect(.invalidOobCode) { _ = try project.inspect(code: made.written, from: .somewhere) }
  }

  /// The sizes of the records of tickets, sorted by their ends.
  private func ticketSizes() throws -> [Int] {
    try fixture.engine.read { snapshot in
      let ends = KeyRange(prefix: AccountKey.prefix(.ticketEnd))
      let cursor = try snapshot.cursor(over: ends, reversed: false)
      var sizes: [Int] = []
      while try cursor.next() {
        sizes.append(try snapshot.get(AccountKey.ticket(Array(cursor.key.suffix(32))))?.count ?? 0)
      }
      return sizes
    }
  }

  // MARK: Floods

  @Test func `a flood of refreshes is bounded, and ends with its token`() throws {
    let fixture = try AccountsFixture { $0.limits.tokensByAccount = .init(20, per: 600) }
    let accounts = fixture.accounts
    let session = try fixture.project.signUpAnonymously(from: .somewhere)
    let other = try fixture.project.signUpAnonymously(from: .somewhere)
    let good = (0..<50).count { _ in
      (try? accounts.refresh(session.refreshToken, from: .elsewhere)) != nil
    }
    #expect(good == 19)
    expect(.tooManyAttempts) { _ = try accounts.refresh(session.refreshToken) }
    // Nobody else is stopped, and nothing grew.
    _ = try accounts.refresh(other.refreshToken, from: .elsewhere)
    #expect(try records(of: session.user.uid, fixture) == 1)
    fixture.clock.advance(seconds: 600)
    _ = try accounts.refresh(session.refreshToken)
    try fixture.project.revoke(session.user.uid)
    expect(.tokenExpired) { _ = try accounts.refresh(session.refreshToken) }
    try fixture.project.delete(session.user.uid)
    expect(.tokenExpired) { _ = try accounts.refresh(session.refreshToken) }
    #expect(try records(of: session.user.uid, fixture) == 0)
  }

  private func records(of uid: Text, _ fixture: AccountsFixture) throws -> Int {
    try fixture.engine.read { snapshot in
      let range = KeyRange(prefix: AccountKey.refreshTokens(fixture.project.scope, uid))
      let cursor = try snapshot.cursor(over: range, reversed: false)
      var count = 0
      while try cursor.next() { count += 1 }
      return count
    }
  }
}
