import BaseText
import Testing

@testable import Authentication

/// Projects, tenants and the server itself have accounts that do not meet.
struct AccountScopeTests {
  private static let scopes: [AccountScope] = [
    .project("shop"), .project("shop\0"), .tenant("acme", project: "shop"),
    .tenant("p", project: "sho"), .tenant("acme", project: ""), .server,
  ]

  private let fixture: AccountsFixture

  init() throws { fixture = try AccountsFixture() }

  @Test func `a scope is read from its bytes, which begin no other scope's`() {
    let encoded = Self.scopes.map(Self.bytes)
    for (scope, bytes) in zip(Self.scopes, encoded) {
      var position = 0
      let decoded = (bytes + [0x41]).withUnsafeBytes { AccountScope.decode($0, at: &position) }
      #expect(decoded == scope)
      #expect(position == bytes.count)
      #expect(encoded.filter { $0.starts(with: bytes) }.count == 1)
    }
    #expect(Self.bytes(.server) == [0xFE])
    #expect(
      Self.bytes(.tenant("acme", project: "shop"))
        == [0xFF] + Array("shop".utf8) + [0x00, 0x01] + Array("acme".utf8) + [0x00, 0x01]
    )
  }

  @Test(arguments: [[], [0xFF], [0xFF, 0x41, 0x00, 0x01], [0x41, 0x00], [0xFD, 0x00, 0x01]])
  func `what is no scope is not read as one`(bytes: [UInt8]) {
    var position = 0
    #expect(bytes.withUnsafeBytes { AccountScope.decode($0, at: &position) } == nil)
    #expect(position == 0)
  }

  @Test func `one address and one uid are an account of each scope`() throws {
    for scope in Self.scopes {
      var draft = NewUser(uid: "ana", email: "ana@example.com")
      draft.displayName = "\(scope)"
      _ = try fixture.accounts[scope].create(draft)
    }
    for scope in Self.scopes {
      let accounts = fixture.accounts[scope]
      #expect(try accounts.user("ana")?.displayName == "\(scope)")
      #expect(try accounts.user(email: "ana@example.com")?.displayName == "\(scope)")
      #expect(try accounts.list().users.map(\.uid) == ["ana"])
    }
    try fixture.accounts[.project("shop")].deleteAll()
    #expect(try fixture.accounts[.tenant("acme", project: "shop")].count() == 1)
    #expect(try fixture.accounts.knownProjects(limit: 10) == ["shop\0"])
  }

  @Test func `a configuration is its scope's`() throws {
    let tenant = AccountScope.tenant("acme", project: "shop")
    try fixture.accounts[tenant].configure { $0.allowsPassword = false }
    #expect(try !fixture.reopened()[tenant].configuration().allowsPassword)
    #expect(try fixture.accounts[.project("shop")].configuration().allowsPassword)
    #expect(try !fixture.accounts.knows("shop"))
  }

  @Test func `a token names its scope and is none of another`() throws {
    for scope in Self.scopes where scope.project != "" {
      let accounts = fixture.accounts[scope]
      let session = try accounts.signUpAnonymously(from: .somewhere)
      let token = try accounts.signedIn(session.idToken).token
      #expect(token.scope == scope)
      #expect(token.claims["aud"]?.string == scope.project?.string)
      #expect(token.claims["firebase"]?["tenant"]?.string == scope.tenant?.string)
      #expect(try fixture.accounts.refresh(session.refreshToken, only: scope).scope == scope)
      let cookie = try accounts.makeSessionCookie(idToken: session.idToken, lifetime: 300)
      #expect(try accounts.signedIn(sessionCookie: cookie).token.scope == scope)
      let ticket = try accounts.issueTicket(.enrollment, .null, lifetime: 60)
      #expect(try accounts.ticket(.enrollment, ticket).scope == scope)
      for other in Self.scopes where other != scope {
        let others = fixture.accounts[other]
        expect(.invalidIDToken) { _ = try others.signedIn(session.idToken) }
        expect(.invalidIDToken) { _ = try others.signedIn(sessionCookie: cookie) }
        expect(.projectMismatch) {
          _ = try fixture.accounts.refresh(session.refreshToken, only: other)
        }
        #expect(throws: Ticket.Problem.unknown) { _ = try others.ticket(.enrollment, ticket) }
      }
    }
  }

  @Test func `a revocation says whose it is, and ends nobody else's tokens`() throws {
    let tokens = BearerTokens(fixture.accounts)
    let told = Told()
    tokens.onRevocation { told.add($0) }
    let tenant = AccountScope.tenant("acme", project: "shop")
    var sessions: [Session] = []
    for scope in [tenant, .project("shop")] {
      _ = try fixture.accounts[scope].create(NewUser(uid: "ana"))
      let user = try #require(try fixture.accounts[scope].user("ana"))
      let facts = SignInFacts(provider: "anonymous", time: fixture.clock.seconds)
      sessions.append(try fixture.accounts[scope].renew(user, facts))
      _ = try tokens.bearer(Substring(sessions[sessions.count - 1].idToken))
    }
    try fixture.accounts[tenant].revoke("ana")
    #expect(told.all == [.user(tenant, uid: "ana")])
    #expect(throws: AccountError.self) { try tokens.bearer(Substring(sessions[0].idToken)) }
    _ = try tokens.bearer(Substring(sessions[1].idToken))
  }

  @Test func `an unsigned token is of its project, whatever tenant it tells of`() throws {
    let development = try AccountsFixture { $0.acceptsUnsigned = true }
    let issued = development.clock.seconds
    let claims = """
      {"iss":"https://securetoken.google.com/shop","aud":"shop","sub":"ana","iat":\(issued),\
      "exp":\(issued + 60),"firebase":{"tenant":"acme"}}
      """
    let text = [#"{"alg":"none"}"#, claims, ""].map { Base64.url(Array($0.utf8)) }
    let token = try JSONWebToken(parsing: text.joined(separator: "."))
    #expect(try development.accounts.verify(token, .idToken).scope == .project("shop"))
  }

  private static func bytes(_ scope: AccountScope) -> [UInt8] {
    var bytes: [UInt8] = []
    scope.append(to: &bytes)
    return bytes
  }
}
