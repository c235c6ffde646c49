import BaseJSON
import Testing

@testable import Authentication

/// Keys change, and what they signed is valid as long as it should be.
struct SigningKeyTests {
  @Test func `rotation overlaps: published before it signs, kept after`() throws {
    let fixture = try AccountsFixture()
    let keys = fixture.accounts.signingKeys
    let first = try keys.signer().id
    #expect(try published(keys) == [first])
    fixture.clock.advance(seconds: 30 * 86_400)
    // The next is published a day before it signs.
    #expect(try keys.signer().id == first)
    let both = try published(keys)
    #expect(both.count == 2)
    fixture.clock.advance(seconds: 86_400)
    let second = try keys.signer().id
    #expect(second != first)
    #expect(try published(keys) == both)
    // Session cookies of the first key may live fourteen days.
    fixture.clock.advance(seconds: 14 * 86_400)
    #expect(try published(keys) == both)
    fixture.clock.advance(seconds: 1)
    #expect(try published(keys) == [second])
    #expect(keys.publicKey(first) == nil)
  }

  @Test func `keys and tokens survive a restart`() throws {
    let fixture = try AccountsFixture(.rocksDB)
    let session = try fixture.project.signUpAnonymously(from: .somewhere)
    let cookie = try fixture.project.makeSessionCookie(idToken: session.idToken, lifetime: 3_600)
    let reopened = try fixture.reopened()
    _ = try BearerTokens(reopened).bearer(Substring(session.idToken))
    let project = reopened.project("demo-brasa")
    #expect(try project.signedIn(sessionCookie: cookie).user.uid == session.user.uid)
    #expect(try reopened.refresh(session.refreshToken).user.uid == session.user.uid)
    #expect(try published(reopened.signingKeys) == published(fixture.accounts.signingKeys))
  }

  @Test func `an immediate rotation ends every token`() throws {
    let fixture = try AccountsFixture()
    let session = try fixture.project.signUpAnonymously(from: .somewhere)
    try fixture.accounts.signingKeys.rotate(immediately: true)
    #expect(throws: JSONWebToken.Problem.unknownKey) {
      try BearerTokens(fixture.accounts).bearer(Substring(session.idToken))
    }
    let renewed = try fixture.accounts.refresh(session.refreshToken)
    _ = try BearerTokens(fixture.accounts).bearer(Substring(renewed.idToken))
  }

  @Test func `a session cookie lives as long as was asked, and no longer`() throws {
    let fixture = try AccountsFixture()
    let project = fixture.project
    let session = try project.signUpAnonymously(from: .somewhere)
    for lifetime in [299, 14 * 86_400 + 1, -1, 0] as [Int64] {
      expect(.invalidDuration) {
        _ = try project.makeSessionCookie(idToken: session.idToken, lifetime: lifetime)
      }
    }
    let cookie = try project.makeSessionCookie(idToken: session.idToken, lifetime: 86_400)
    // A cookie is no ID token, and an ID token no cookie.
    expect(.invalidIDToken) { _ = try project.signedIn(cookie) }
    expect(.invalidIDToken) { _ = try project.signedIn(sessionCookie: session.idToken) }
    #expect(throws: (any Error).self) {
      try BearerTokens(fixture.accounts).bearer(Substring(cookie))
    }
    fixture.clock.advance(seconds: 86_399)
    _ = try project.signedIn(sessionCookie: cookie)
    fixture.clock.advance(seconds: 1)
    expect(.tokenExpired) { _ = try project.signedIn(sessionCookie: cookie) }
  }

  @Test func `a token of one project is none of another`() throws {
    let fixture = try AccountsFixture()
    let session = try fixture.project.signUpAnonymously(from: .somewhere)
    let other = fixture.accounts.project("other")
    expect(.invalidIDToken) { _ = try other.signedIn(session.idToken) }
    expect(.projectMismatch) {
      _ = try fixture.accounts.refresh(session.refreshToken, only: .project("other"))
    }
  }

  @Test func `refresh tokens that nobody gave out are refused`() throws {
    let fixture = try AccountsFixture()
    let session = try fixture.project.signUpAnonymously(from: .somewhere)
    for text in ["", "x", session.refreshToken + "A", String(session.refreshToken.dropLast())] {
      #expect(throws: AccountError.self) { try fixture.accounts.refresh(text) }
    }
    let forged = RefreshToken(
      scope: .project("demo-brasa"),
      uid: session.user.uid,
      issued: AccountsFixture.start,
      random: .system
    )
    expect(.tokenExpired) { _ = try fixture.accounts.refresh(forged.text) }
  }

  @Test func `the oldest session ends where there are too many`() throws {
    let fixture = try AccountsFixture { $0.maximumSessions = 3 }
    let first = try fixture.project.signUpAnonymously(from: .somewhere)
    var sessions = [first]
    for _ in 0..<3 {
      fixture.clock.advance(seconds: 1)
      sessions.append(try fixture.project.renew(first.user, first.signIn))
    }
    expect(.tokenExpired) { _ = try fixture.accounts.refresh(first.refreshToken) }
    for session in sessions.dropFirst() { _ = try fixture.accounts.refresh(session.refreshToken) }
  }

  @Test func `a refresh token is not in the store as it is`() throws {
    let fixture = try AccountsFixture()
    let session = try fixture.project.signUpAnonymously(from: .somewhere)
    let secret = Array(session.refreshToken.utf8)
    try fixture.engine.read { snapshot in
      let cursor = try snapshot.cursor(over: .init(prefix: [AccountKey.space]), reversed: false)
      while try cursor.next() {
        #expect(!contains(Array(cursor.key), secret) && !contains(Array(cursor.value), secret))
      }
    }
  }

  private func contains(_ bytes: [UInt8], _ part: [UInt8]) -> Bool {
    bytes.count >= part.count
      && bytes.indices.dropLast(part.count - 1).contains { bytes[$0...].starts(with: part) }
  }

  private func published(_ keys: SigningKeys) throws -> Set<String> {
    let document = try JSONValue(parsing: keys.webKeys())
    return Set((document["keys"]?.elements ?? []).compactMap { $0["kid"]?.string })
  }
}
