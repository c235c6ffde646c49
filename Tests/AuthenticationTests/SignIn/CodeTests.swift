import BaseText
import KeyValueStore
import Testing

@testable import Authentication

/// Codes that emails carry.
struct CodeTests {
  private let fixture: AccountsFixture
  private let session: Session
  private var project: ProjectAccounts { fixture.project }

  init() throws {
    fixture = try AccountsFixture()
    session = try fixture.project.signUp(
      email: "ana@example.com",
      password: "her own password",
      from: .somewhere
    )
  }

  private func resetCode() throws -> String {
    let made = try project.makePasswordResetCode(email: "Ana@example.com", from: .somewhere)
    return try #require(made.text)
  }

  private func signInCode(email: String) throws -> String {
    try #require(try project.makeSignInCode(email: email, from: .somewhere).text)
  }

  private func changeCode(to address: String) throws -> String {
    let user = try #require(try project.user(session.user.uid))
    let made = try project.makeEmailChangeCode(user, newEmail: address, from: .somewhere)
    return try #require(made.text)
  }

  @Test func `a code resets the password once, and ends what went before`() throws {
    let code = try resetCode()
    #expect(code.utf8.count == 54)
    #expect(try project.inspect(code: code, from: .somewhere).email == "ana@example.com")
    expect(.weakPassword) {
      _ = try project.resetPassword(code: code, newPassword: "short", from: .somewhere)
    }
    let (_, user) = try project.resetPassword(
      code: code,
      newPassword: "a new password",
      from: .somewhere
    )
    #expect(user.isEmailVerified)
    expect(.invalidOobCode) {
      _ = try project.resetPassword(code: code, newPassword: "once more, again", from: .somewhere)
    }
    expect(.tokenExpired) { _ = try project.signedIn(session.idToken) }
    let signedIn = try project.signIn(
      email: "ana@example.com",
      password: "a new password",
      from: .somewhere
    )
    #expect(signedIn.session != nil)
  }

  @Test func `an older code dies with the password that it was made for`() throws {
    let first = try resetCode()
    let second = try resetCode()
    _ = try project.resetPassword(code: second, newPassword: "a new password", from: .somewhere)
    expect(.invalidOobCode) {
      _ = try project.resetPassword(code: first, newPassword: "the attacker's", from: .somewhere)
    }
  }

  @Test func `a code used 100 times at once is good once`() async throws {
    let code = try resetCode()
    let hash = try project.newHash("a new password")
    #expect(hash.algorithm == .own)
    let fixture = fixture
    let good = await Concurrently.count(100) { _ in
      do {
        _ = try fixture.project.redeemTicket(.oneTimeCode, code)
        return true
      } catch is Ticket.Problem {
        return false
      }
    }
    #expect(good == 1)
  }

  @Test func `a code is over after its hour`() throws {
    let code = try resetCode()
    fixture.clock.advance(seconds: 3_600)
    expect(.expiredCode) { _ = try project.inspect(code: code, from: .somewhere) }
  }

  @Test func `a code is for one purpose, one project and as it was made`() throws {
    let code = try resetCode()
    expect(.invalidOobCode) { _ = try project.apply(code: code, from: .somewhere) }
    expect(.invalidOobCode) {
      _ = try project.signIn(emailCode: code, email: "ana@example.com", from: .somewhere)
    }
    expect(.invalidOobCode) {
      _ = try fixture.accounts.project("other").inspect(code: code, from: .somewhere)
    }
    for wrong in ["", "x", String(code.dropLast()) + "?", String(code.reversed())] {
      expect(.invalidOobCode) { _ = try project.inspect(code: wrong, from: .somewhere) }
    }
    _ = try project.inspect(code: code, from: .somewhere)
  }

  @Test func `whether an address has an account does not show`() throws {
    #expect(
      try project.makePasswordResetCode(email: "nobody@example.com", from: .somewhere).text == nil
    )
    try project.configure { $0.hidesAccounts = false }
    expect(.emailNotFound) {
      _ = try project.makePasswordResetCode(email: "nobody@example.com", from: .somewhere)
    }
  }

  @Test func `emails to one address are bounded`() throws {
    for _ in 0..<5 { _ = try resetCode() }
    expect(.tooManyAttempts) { _ = try resetCode() }
    expect(.tooManyAttempts) {
      _ = try project.makePasswordResetCode(email: "ana@example.com", from: .elsewhere)
    }
    _ = try project.makePasswordResetCode(email: "ana@example.com", from: .administrator)
  }

  @Test func `an address is verified, and changed, by emails`() throws {
    let verify = try #require(
      try project.makeVerificationCode(session.user, from: .somewhere).text
    )
    #expect(try project.apply(code: verify, from: .somewhere).user.isEmailVerified)
    let change = try changeCode(to: "new@example.com")
    let changed = try project.apply(code: change, from: .somewhere).user
    #expect(changed.email?.string == "new@example.com" && changed.isEmailVerified)
    #expect(changed.initialEmail?.string == "ana@example.com")
    #expect(try project.user(email: "ana@example.com") == nil)
    expect(.tokenExpired) { _ = try project.signedIn(session.idToken) }
    // A code for the old address is void now.
    expect(.invalidOobCode) { _ = try project.apply(code: verify, from: .somewhere) }
  }

  @Test func `a change of a verified address can be taken back, once`() throws {
    let verify = try project.makeVerificationCode(session.user, from: .somewhere)
    _ = try project.apply(code: try #require(verify.text), from: .somewhere)
    let done = try project.apply(code: try changeCode(to: "new@example.com"), from: .somewhere)
    let recovery = try project.makeRecoveryCode(try #require(done.change))
    #expect(recovery.email == "ana@example.com" && recovery.newEmail == "new@example.com")
    let code = try #require(recovery.text)
    // A second change does not void it: who took the account could make one.
    let third = try project.apply(code: try changeCode(to: "third@example.com"), from: .somewhere)
    #expect(third.change != nil)
    let back = try project.apply(code: code, from: .somewhere)
    #expect(back.user.email?.string == "ana@example.com" && back.user.isEmailVerified)
    #expect(back.change == nil)
    expect(.invalidOobCode) { _ = try project.apply(code: code, from: .somewhere) }
  }

  @Test func `an address that was never verified gets no key to the account`() throws {
    let done = try project.apply(code: try changeCode(to: "new@example.com"), from: .somewhere)
    #expect(done.change == nil)
  }

  @Test func `emails go to the account's address, not to a spelling that looks alike`() throws {
    let kelvin = "an\u{E1}@\u{212A}ilo.example"
    _ = try project.create(NewUser(email: "an\u{E1}@kilo.example", password: "some password"))
    for spelling in [kelvin, "AN\u{C1}@KILO.example", "ana\u{301}@kilo.example"] {
      let made = try project.makePasswordResetCode(email: spelling, from: .administrator)
      #expect(Text(made.email) == Text("an\u{E1}@kilo.example") && made.text != nil)
    }
  }

  @Test func `a change to a taken address does not tell that it is taken`() throws {
    _ = try project.create(NewUser(email: "bia@example.com", password: "some password"))
    let made = try project.makeEmailChangeCode(
      session.user,
      newEmail: "bia@example.com",
      from: .somewhere
    )
    #expect(made.text == nil && made.newEmail == "bia@example.com")
    try project.configure { $0.hidesAccounts = false }
    expect(.emailExists) {
      _ = try project.makeEmailChangeCode(
        session.user,
        newEmail: "bia@example.com",
        from: .somewhere
      )
    }
  }

  @Test func `pre-hijack: a reset of an unverified address drops what its maker left`() throws {
    let profile = LinkedProvider(providerID: "google.com", rawID: "maker")
    let identity = ProviderIdentity(profile: profile, isEmailVerified: false)
    _ = try project.link(identity, idToken: session.idToken)
    let code = try resetCode()
    let reset = try project.resetPassword(
      code: code,
      newPassword: "the owner's own",
      from: .elsewhere
    )
    #expect(reset.user.providers.isEmpty && reset.user.isEmailVerified)
    #expect(try project.user(provider: "google.com", rawID: "maker") == nil)
  }

  @Test func `users are found by their first address too`() throws {
    #expect(try project.users(initialEmail: "Ana@example.com").map(\.uid) == [session.user.uid])
    _ = try project.apply(code: try changeCode(to: "new@example.com"), from: .somewhere)
    let next = try project.create(NewUser(email: "ana@example.com", password: "some password"))
    let found = try project.users(initialEmail: "ana@example.com").map(\.uid)
    #expect(Set(found) == [session.user.uid, next.uid])
    #expect(try project.users(initialEmail: "new@example.com").isEmpty)
    try project.delete(session.user.uid)
    #expect(try project.users(initialEmail: "ana@example.com").map(\.uid) == [next.uid])
  }

  @Test func `pre-hijack: a link sent to an unverified address drops the password`() throws {
    let code = try signInCode(email: "ana@example.com")
    expect(.invalidEmail) {
      _ = try project.signIn(emailCode: code, email: "other@example.com", from: .somewhere)
    }
    let link = try project.signIn(emailCode: code, email: "Ana@example.com", from: .somewhere)
    let signedIn = try #require(link.session)
    #expect(signedIn.user.uid == session.user.uid)
    #expect(signedIn.user.password == nil && signedIn.user.isEmailVerified)
    expect(.tokenExpired) { _ = try project.signedIn(session.idToken) }
    expect(.invalidOobCode) {
      _ = try project.signIn(emailCode: code, email: "ana@example.com", from: .somewhere)
    }
  }

  @Test func `a link makes an account where there is none`() throws {
    let code = try signInCode(email: "new@example.com")
    let made = try project.signIn(emailCode: code, email: "new@example.com", from: .somewhere)
    #expect(made.session?.isNewUser == true)
    #expect(made.session?.signIn.provider == "password")
  }

  @Test func `tickets that are over are swept`() throws {
    for _ in 0..<40 {
      _ = try project.issueTicket(.pendingSignIn, .object([]), lifetime: 1)
    }
    fixture.clock.advance(seconds: 3_602)
    for _ in 0..<3 { _ = try project.issueTicket(.pendingSignIn, .object([]), lifetime: 60) }
    let left = try fixture.engine.read { snapshot in
      let range = KeyRange(prefix: AccountKey.prefix(.ticket))
      let cursor = try snapshot.cursor(over: range, reversed: false)
      var count = 0
      while try cursor.next() { count += 1 }
      return count
    }
    #expect(left == 3)
  }
}
