import FirestoreModel
import KeyValueStore
import Testing

@testable import Authentication

/// Codes that letters carry.
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
    return try #require(made)
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
      try project.makePasswordResetCode(email: "nobody@example.com", from: .somewhere) == nil
    )
    try project.configure { $0.hidesAccounts = false }
    expect(.emailNotFound) {
      _ = try project.makePasswordResetCode(email: "nobody@example.com", from: .somewhere)
    }
  }

  @Test func `letters to one address are bounded`() throws {
    for _ in 0..<5 { _ = try resetCode() }
    expect(.tooManyAttempts) { _ = try resetCode() }
    expect(.tooManyAttempts) {
      _ = try project.makePasswordResetCode(email: "ana@example.com", from: .elsewhere)
    }
    _ = try project.makePasswordResetCode(email: "ana@example.com", from: .administrator)
  }

  @Test func `an address is verified, and changed, by letters`() throws {
    let verify = try project.makeVerificationCode(session.user, from: .somewhere)
    #expect(try project.apply(code: verify, from: .somewhere).user.isEmailVerified)
    let change = try project.makeEmailChangeCode(
      session.user,
      newEmail: "new@example.com",
      from: .somewhere
    )
    let changed = try project.apply(code: change, from: .somewhere).user
    #expect(changed.email?.string == "new@example.com" && changed.isEmailVerified)
    #expect(changed.initialEmail?.string == "ana@example.com")
    #expect(try project.user(email: "ana@example.com") == nil)
    expect(.tokenExpired) { _ = try project.signedIn(session.idToken) }
    // A code for the old address is void now.
    expect(.invalidOobCode) { _ = try project.apply(code: verify, from: .somewhere) }
  }

  @Test func `pre-hijack: a link sent to an unverified address drops the password`() throws {
    let code = try project.makeSignInCode(email: "ana@example.com", from: .somewhere)
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
    let code = try project.makeSignInCode(email: "new@example.com", from: .somewhere)
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
