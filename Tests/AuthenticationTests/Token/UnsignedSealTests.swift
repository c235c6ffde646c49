import BaseJSON
import BaseText
import Testing

@testable import Authentication

/// The tokens that a development server issues without a signature, and who may make one.
struct UnsignedSealTests {
  private let fixture: AccountsFixture
  private let session: Session

  init() throws {
    fixture = try AccountsFixture(.rocksDB) { configuration in
      configuration.acceptsUnsigned = true
      configuration.issuesUnsigned = true
    }
    session = try fixture.project.signUpAnonymously(from: .somewhere)
  }

  private var tokens: BearerTokens { BearerTokens(fixture.accounts) }

  private func parts(_ token: String) -> [String] {
    token.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
  }

  @Test func `a token has the emulator's form and opens as its user`() throws {
    let token = try JSONWebToken(parsing: session.idToken)
    #expect(token.algorithm == "none" && token.signature.isEmpty && session.idToken.hasSuffix("."))
    #expect(token.claims["jti"]?.string?.count == 43)
    guard case .user(let user) = try tokens.bearer(Substring(session.idToken)) else {
      Issue.record("not a user")
      return
    }
    #expect(user.uid == session.user.uid && user.session == session.user.session)
    // The seal is no claim that rules would see.
    #expect(user.claims["jti"] == nil && user.claims["sub"] == .string(session.user.uid))
  }

  @Test(arguments: ["sub", "exp", "aud", "admin"])
  func `a token with another claim than was sealed does not open`(claim: String) throws {
    let other = try fixture.project.signUpAnonymously(from: .somewhere)
    let changed = try JSONWebToken(parsing: session.idToken).claims.members?.map { member in
      member.key == claim
        ? JSONValue.Member(
          claim,
          claim == "exp" ? .integer(1 << 40) : .string(other.user.uid.string)
        )
        : member
    }
    var claims = try #require(changed)
    if claim == "admin" { claims.insert(.init("admin", .boolean(true)), at: 0) }
    let text = JSONValue.object(claims).compact
    let forged = "\(parts(session.idToken)[0]).\(Base64.url(Array(text.utf8)))."
    #expect(forged != session.idToken)
    #expect(throws: JSONWebToken.Problem.otherProcess) { try tokens.bearer(Substring(forged)) }
    #expect(throws: AccountError.self) {
      try fixture.accounts.requireProof(ofIDToken: forged)
    }
  }

  @Test func `a seal is of its header and of one token`() throws {
    let other = try fixture.project.signUpAnonymously(from: .somewhere)
    let mixed = "\(parts(other.idToken)[0]).\(parts(session.idToken)[1])."
    #expect(throws: JSONWebToken.Problem.otherProcess) { try tokens.bearer(Substring(mixed)) }
    let seal = try #require(JSONWebToken(parsing: other.idToken).claims["jti"]?.string)
    let claims = try JSONWebToken(parsing: session.idToken).claims.members?.filter {
      $0.key != "jti"
    }
    let text = JSONValue.object(try #require(claims) + [.init("jti", .string(seal))]).compact
    let lent = "\(parts(session.idToken)[0]).\(Base64.url(Array(text.utf8)))."
    #expect(throws: JSONWebToken.Problem.otherProcess) { try tokens.bearer(Substring(lent)) }
  }

  @Test func `a restart ends the tokens, and refresh tokens go on`() throws {
    let reopened = try fixture.reopened()
    let tokens = BearerTokens(reopened)
    #expect(throws: JSONWebToken.Problem.otherProcess) {
      try tokens.bearer(Substring(session.idToken))
    }
    expect(.tokenExpired) { try reopened.requireProof(ofIDToken: session.idToken) }
    let refreshed = try reopened.refresh(session.refreshToken)
    _ = try tokens.bearer(Substring(refreshed.idToken))
    try reopened.requireProof(ofIDToken: refreshed.idToken)
    // As in the emulator a page that is loaded again finds its account by the token that it kept.
    #expect(try reopened.project("demo-brasa").signedIn(session.idToken).user == refreshed.user)
  }

  @Test func `a token that a test wrote is no proof`() throws {
    let now = fixture.clock.seconds
    let claims =
      #"{"iss":"https://securetoken.google.com/demo-brasa","aud":"demo-brasa","iat":\#(now),"#
      + #""exp":\#(now + 60),"sub":"\#(session.user.uid.string)"}"#
    let header = Base64.url(Array(#"{"alg":"none","typ":"JWT"}"#.utf8))
    let written = "\(header).\(Base64.url(Array(claims.utf8)))."
    expect(.invalidIDToken) { try fixture.accounts.requireProof(ofIDToken: written) }
    #expect(try fixture.project.signedIn(written).user.uid == session.user.uid)
  }

  @Test func `session cookies are sealed too`() throws {
    let cookie = try fixture.project.makeSessionCookie(idToken: session.idToken, lifetime: 86_400)
    let token = try JSONWebToken(parsing: cookie)
    #expect(token.isUnsigned && token.claims["iss"]?.string?.contains("session.firebase") == true)
    #expect(try fixture.project.signedIn(sessionCookie: cookie).token.session != nil)
    let seals = try [session.idToken, cookie].map { try JSONWebToken(parsing: $0).claims["jti"] }
    #expect(seals[0] != seals[1])
  }

  @Test(arguments: EarlyEnd.allCases)
  func `a token stops with the change`(end: EarlyEnd) throws {
    let tokens = tokens
    _ = try tokens.bearer(Substring(session.idToken))
    try end.apply(to: session.user.uid, in: fixture.project)
    #expect(throws: AccountError.self) { try tokens.bearer(Substring(session.idToken)) }
    #expect(throws: AccountError.self) { try fixture.project.signedIn(session.idToken) }
  }

  @Test func `an immediate rotation ends unsigned tokens as well`() throws {
    let tokens = tokens
    _ = try tokens.bearer(Substring(session.idToken))
    try fixture.accounts.rotateSigningKeys(immediately: false)
    _ = try tokens.bearer(Substring(session.idToken))
    try fixture.accounts.rotateSigningKeys(immediately: true)
    #expect(throws: JSONWebToken.Problem.otherProcess) {
      try tokens.bearer(Substring(session.idToken))
    }
  }

  @Test func `production takes no unsigned token, whoever made it`() throws {
    let production = try Accounts(
      engine: fixture.engine,
      configuration: {
        var configuration = AccountsConfiguration()
        configuration.clock = fixture.clock.clock
        return configuration
      }()
    )
    #expect(throws: JSONWebToken.Problem.algorithm) {
      try BearerTokens(production).bearer(Substring(session.idToken))
    }
    expect(.invalidIDToken) { _ = try production.project("demo-brasa").signedIn(session.idToken) }
  }
}
