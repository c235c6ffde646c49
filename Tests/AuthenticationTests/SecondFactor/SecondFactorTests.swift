import BaseText
import Testing

@testable import Authentication

/// Time-based codes as a second factor.
struct SecondFactorTests {
  private static let password = "korrekt pferd batterie"

  /// RFC 6238, appendix B, with SHA-1 and eight digits.
  @Test(arguments: [
    (Int64(59), "94287082"), (1_111_111_109, "07081804"), (1_111_111_111, "14050471"),
    (1_234_567_890, "89005924"), (2_000_000_000, "69279037"), (20_000_000_000, "65353130"),
  ])
  func `codes are the RFC's`(time: Int64, code: String) {
    let secret = Array("12345678901234567890".utf8)
    #expect(TOTP.code(secret: secret, step: time / 30, digits: 8) == code)
  }

  /// RFC 4648, section 10.
  @Test(arguments: [("f", "MY"), ("fo", "MZXQ"), ("foo", "MZXW6"), ("foobar", "MZXW6YTBOI")])
  func `secrets are spelled in Base32`(text: String, base32: String) {
    #expect(TOTP.base32(Array(text.utf8)) == base32)
  }

  @Test func `second factor: the first alone yields only a pending credential`() throws {
    let enrolled = try Enrolled()
    let outcome = try enrolled.signIn()
    guard case .needsSecondFactor(let user, let pending) = outcome else {
      Issue.record("tokens without the second factor")
      return
    }
    #expect(user.secondFactors.count == 1)
    expect(.invalidIDToken) { _ = try enrolled.project.signedIn(pending) }
    #expect(throws: AccountError.self) { try enrolled.accounts.refresh(pending) }
    expect(.invalidCode) { _ = try enrolled.finish(pending, "000000") }
    enrolled.fixture.clock.advance(seconds: 60)
    let session = try enrolled.finish(pending, enrolled.code())
    let claims = try JSONWebToken(parsing: session.idToken).claims["firebase"]
    #expect(claims?["sign_in_second_factor"]?.string == "totp")
    #expect(claims?["second_factor_identifier"]?.string == enrolled.factor.string)
    #expect(claims?["sign_in_provider"]?.string == "password")
    // The credential was good once, and its session keeps the second factor over a refresh.
    expect(.invalidPendingCredential) { _ = try enrolled.finish(pending, enrolled.code()) }
    let refreshed = try enrolled.accounts.refresh(session.refreshToken)
    #expect(refreshed.signIn.secondFactor?.id == enrolled.factor)
  }

  @Test func `a code is good once, a step early or late, and no more`() throws {
    let enrolled = try Enrolled()
    enrolled.fixture.clock.advance(seconds: 3_000)
    let pending = try enrolled.pending()
    for steps in [-2, 2] as [Int64] {
      expect(.invalidCode) { _ = try enrolled.finish(pending, enrolled.code(steps: steps)) }
    }
    _ = try enrolled.finish(pending, enrolled.code(steps: -1))
    // Neither that code again nor an earlier one, with a new credential.
    let again = try enrolled.pending()
    expect(.invalidCode) { _ = try enrolled.finish(again, enrolled.code(steps: -1)) }
    _ = try enrolled.finish(again, enrolled.code())
    let third = try enrolled.pending()
    expect(.invalidCode) { _ = try enrolled.finish(third, enrolled.code()) }
    _ = try enrolled.finish(third, enrolled.code(steps: 1))
  }

  @Test func `guessing codes is bounded, and 100 at once count as 100`() async throws {
    let enrolled = try Enrolled()
    enrolled.fixture.clock.advance(seconds: 600)
    let pending = try enrolled.pending()
    let refused = await Concurrently.count(100) { index in
      do {
        _ = try enrolled.finish(pending, index % 2 == 0 ? "000000" : "999999")
        return false
      } catch let error as AccountError {
        return error.code == .tooManyAttempts
      }
    }
    #expect(refused == 90)
  }

  @Test func `guesses of a day are bounded, however slow they come`() throws {
    let enrolled = try Enrolled()
    var tried = 0
    for _ in 0..<24 {
      enrolled.fixture.clock.advance(seconds: 600)
      let pending = try enrolled.pending()
      for _ in 0..<10 {
        do {
          _ = try enrolled.finish(pending, "000000")
        } catch let error as AccountError where error.code == .invalidCode {
          tried += 1
        } catch {}
      }
    }
    // Fifty, and those that came back in four hours.
    #expect(tried <= 50 + 10)
  }

  @Test func `one code given 100 times at once finishes one sign-in`() async throws {
    let enrolled = try Enrolled { $0.secondFactorsByAccount = nil }
    enrolled.fixture.clock.advance(seconds: 600)
    let pending = try (0..<4).map { _ in try enrolled.pending() }
    let code = enrolled.code()
    let finished = await Concurrently.count(40) { index in
      (try? enrolled.finish(pending[index % 4], code)) != nil
    }
    #expect(finished == 1)
  }

  @Test func `enrolments that end at once leave one factor, and a code of theirs is used up`()
    async throws
  {
    // How many of the enrolments count against the limit depends on who comes first.
    let enrolled = try Enrolled { $0 = .unlimited }
    let project = enrolled.project
    _ = try project.withdraw(idToken: enrolled.session.idToken, factor: enrolled.factor)
    enrolled.fixture.clock.advance(seconds: 60)
    let session = try #require(try enrolled.signIn().session)
    let begun = try (0..<8).map { _ in try project.beginEnrollment(idToken: session.idToken) }
    let codes = begun.map { enrolled.code(of: $0.secret) }
    let finished = await Concurrently.count(8) { index in
      (try? project.finishEnrollment(
        idToken: session.idToken,
        sessionInfo: begun[index].sessionInfo,
        code: codes[index],
        displayName: nil
      )) != nil
    }
    #expect(finished == 1)
    let factor = try #require(try project.user(session.user.uid)?.secondFactors.first)
    #expect(try project.user(session.user.uid)?.secondFactors.count == 1)
    let pending = try enrolled.pending()
    for code in codes {
      expect(.invalidCode) {
        _ = try project.finishSignIn(pendingCredential: pending, factor: factor.id, code: code)
      }
    }
  }

  @Test func `what was begun for one account or project finishes nothing of another`() throws {
    let ana = try Enrolled()
    let begun = try ana.project.beginEnrollment(idToken: ana.session.idToken)
    let pending = try ana.pending()
    let other = ana.accounts.project("another-shop")
    expect(.invalidPendingCredential) {
      _ = try other.finishSignIn(
        pendingCredential: pending,
        factor: ana.factor,
        code: ana.code(steps: 1)
      )
    }
    let bia = try ana.project.signUp(
      email: "bia@b.example",
      password: Self.password,
      from: .elsewhere
    )
    var verify = UserUpdate()
    verify.isEmailVerified = true
    _ = try ana.project.update(bia.user.uid, verify)
    expect(.invalidSessionInfo) {
      _ = try ana.project.finishEnrollment(
        idToken: bia.idToken,
        sessionInfo: begun.sessionInfo,
        code: ana.code(of: begun.secret),
        displayName: nil
      )
    }
  }

  @Test func `linking a provider makes no old second factor fresh`() throws {
    let enrolled = try Enrolled()
    enrolled.fixture.clock.advance(seconds: 301)
    let profile = LinkedProvider(providerID: "google.com", rawID: "thief")
    let linked = try enrolled.project.link(
      ProviderIdentity(profile: profile, isEmailVerified: false),
      idToken: enrolled.session.idToken
    )
    expect(.credentialTooOld) {
      _ = try enrolled.project.withdraw(idToken: linked.idToken, factor: enrolled.factor)
    }
  }

  @Test func `enrolments that are begun and left are bounded`() throws {
    let enrolled = try Enrolled()
    let begun = (0..<100).count { _ in
      (try? enrolled.project.beginEnrollment(idToken: enrolled.session.idToken)) != nil
    }
    #expect(begun < 20)
  }

  @Test func `taking a factor away needs the factor`() throws {
    let enrolled = try Enrolled()
    // A session from before the enrolment has not given it.
    expect(.credentialTooOld) {
      _ = try enrolled.project.withdraw(
        idToken: enrolled.before.idToken,
        factor: enrolled.factor
      )
    }
    let after = try enrolled.project.withdraw(
      idToken: enrolled.session.idToken,
      factor: enrolled.factor
    )
    #expect(after.user.secondFactors.isEmpty)
    #expect(try enrolled.signIn().session != nil)
  }

  @Test func `taking a factor away needs a fresh sign-in`() throws {
    let enrolled = try Enrolled()
    enrolled.fixture.clock.advance(seconds: 301)
    expect(.credentialTooOld) {
      _ = try enrolled.project.withdraw(
        idToken: enrolled.session.idToken,
        factor: enrolled.factor
      )
    }
    #expect(try enrolled.project.user(enrolled.session.user.uid)?.secondFactors.count == 1)
  }

  @Test func `only who showed his address enrols`() throws {
    let fixture = try AccountsFixture()
    let session = try fixture.project.signUp(
      email: "a@b.example",
      password: Self.password,
      from: .somewhere
    )
    expect(.unverifiedEmail) {
      _ = try fixture.project.beginEnrollment(idToken: session.idToken)
    }
    let anonymous = try fixture.project.signUpAnonymously(from: .somewhere)
    #expect(throws: AccountError.self) {
      try fixture.project.beginEnrollment(idToken: anonymous.idToken)
    }
  }

  @Test func `the secret of a factor is in no token and no answer after enrolment`() throws {
    let enrolled = try Enrolled()
    let text = enrolled.session.idToken + enrolled.session.refreshToken
    #expect(!text.contains(enrolled.secret))
    let claims = try JSONWebToken(parsing: enrolled.session.idToken).claims.compact
    #expect(!claims.contains(enrolled.secret))
  }

  /// Somebody who enrolled.
  private struct Enrolled {
    let fixture: AccountsFixture
    let secret: String
    let factor: Text
    let before: Session
    let session: Session

    var accounts: Accounts { fixture.accounts }
    var project: ProjectAccounts { fixture.project }

    init(_ limits: (inout AttemptLimits.Settings) -> Void = { _ in }) throws {
      fixture = try AccountsFixture { limits(&$0.limits) }
      let project = fixture.project
      let up = try project.signUp(
        email: "a@b.example",
        password: SecondFactorTests.password,
        from: .elsewhere
      )
      var verify = UserUpdate()
      verify.isEmailVerified = true
      _ = try project.update(up.user.uid, verify)
      let enrollment = try project.beginEnrollment(idToken: up.idToken)
      secret = enrollment.secret
      before = up
      let code = Self.code(enrollment.secret, fixture.clock.seconds / 30)
      session = try project.finishEnrollment(
        idToken: up.idToken,
        sessionInfo: enrollment.sessionInfo,
        code: code,
        displayName: "phone"
      )
      factor = try #require(session.user.secondFactors.first).id
    }

    func signIn() throws -> SignInOutcome {
      try project.signIn(
        email: "a@b.example",
        password: SecondFactorTests.password,
        from: .elsewhere
      )
    }

    func pending() throws -> String {
      guard case .needsSecondFactor(_, let pending) = try signIn() else { return "" }
      return pending
    }

    func finish(_ pending: String, _ code: String) throws -> Session {
      try project.finishSignIn(pendingCredential: pending, factor: factor, code: code)
    }

    func code(of secret: String) -> String { Self.code(secret, fixture.clock.seconds / 30) }

    func code(steps: Int64 = 0) -> String { Self.code(secret, fixture.clock.seconds / 30 + steps) }

    private static func code(_ base32: String, _ step: Int64) -> String {
      let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")
      var bits = 0
      var value = 0
      var bytes: [UInt8] = []
      for character in base32 {
        value = value << 5 | (alphabet.firstIndex(of: character) ?? 0)
        bits += 5
        if bits >= 8 {
          bits -= 8
          bytes.append(UInt8(value >> bits & 0xFF))
        }
      }
      return TOTP.code(secret: bytes, step: step)
    }
  }
}
