import BaseJSON
import BaseText
import CryptoExtras
import Testing

@testable import Authentication

/// Tests of the tokens that service accounts sign, and of their audience.
struct ServiceAccountTests {
  private let fixture: AccountsFixture
  private let account: ServiceAccount
  private let key: _RSA.Signing.PrivateKey
  private var project: ProjectAccounts { fixture.project }
  private var now: Int64 { fixture.clock.seconds }

  init() throws {
    fixture = try AccountsFixture()
    let made = try fixture.accounts.serviceAccounts.create(
      "backend",
      role: .admin,
      project: "demo-brasa",
      origin: fixture.accounts.origin
    )
    account = made.account
    let pem = try #require(try JSONValue(parsing: made.file)["private_key"]?.string)
    key = try _RSA.Signing.PrivateKey(pemRepresentation: pem)
  }

  /// A token of the account; Google's Node library names no key.
  private func sign(_ claims: [String: JSONValue], namesKey: Bool = true) throws -> String {
    try JSONWebToken.signed(
      header: [.init("alg", .string("RS256"))]
        + (namesKey ? [.init("kid", .string(account.keyID))] : []),
      claims: claims.sorted { $0.key < $1.key }.map { .init($0.key, $0.value) },
      key: key
    )
  }

  private func customToken(_ changes: [String: JSONValue?] = [:]) throws -> String {
    var claims: [String: JSONValue] = [
      "iss": .string(account.email), "sub": .string(account.email),
      "aud": .string(CustomToken.audience), "uid": .string("ana"),
      "iat": .integer(now), "exp": .integer(now + 3_600),
    ]
    for (name, value) in changes { claims[name] = value }
    return try sign(claims, namesKey: false)
  }

  @Test func `a custom token signs its user in, with its claims`() throws {
    let text = try customToken(["claims": .object([.init("role", .string("seller"))])])
    let session = try #require(try project.signIn(customToken: text).session)
    #expect(session.isNewUser && session.user.uid == "ana" && session.signIn.provider == "custom")
    for idToken in [
      session.idToken, try fixture.accounts.refresh(session.refreshToken).idToken,
    ] {
      #expect(try JSONWebToken(parsing: idToken).claims["role"]?.string == "seller")
    }
    #expect(try project.signIn(customToken: text).session?.isNewUser == false)
  }

  @Test(arguments: [
    ("aud", JSONValue.string("https://example.com")), ("aud", .null),
    ("iss", .string("somebody@else")), ("sub", .string("somebody@else")),
    ("exp", .integer(1)), ("iat", .integer(1 << 40)), ("uid", .string("")),
    ("uid", .string(String(repeating: "u", count: 129))),
  ])
  func `a custom token that is not quite right is refused`(name: String, value: JSONValue) throws {
    let text = try customToken([name: value])
    expect(.invalidCustomToken) { _ = try project.signIn(customToken: text) }
  }

  @Test func `reserved and foreign claims, and tenants, are refused by name`() throws {
    let reserved = try customToken(["claims": .object([.init("aud", .string("x"))])])
    expect(.forbiddenClaim) { _ = try project.signIn(customToken: reserved) }
    let list = try customToken(["claims": .array([])])
    expect(.invalidClaims) { _ = try project.signIn(customToken: list) }
    let tenant = try customToken(["tenant_id": .string("t")])
    expect(.tenantsUnsupported) { _ = try project.signIn(customToken: tenant) }
    let good = try customToken()
    expect(.credentialMismatch) {
      _ = try fixture.accounts.project("other").signIn(customToken: good)
    }
    var disabled = NewUser(uid: "ana")
    disabled.isDisabled = true
    _ = try project.create(disabled)
    expect(.userDisabled) { _ = try project.signIn(customToken: good) }
  }

  @Test func `the claims of a custom token win over the account's`() throws {
    var draft = NewUser(uid: "ana")
    draft.customClaims = #"{"role":"viewer","shop":1}"#
    _ = try project.create(draft)
    let text = try customToken(["claims": .object([.init("role", .string("seller"))])])
    let session = try #require(try project.signIn(customToken: text).session)
    let refreshed = try fixture.accounts.refresh(session.refreshToken)
    for token in [session.idToken, refreshed.idToken] {
      let claims = try JSONWebToken(parsing: token).claims
      #expect(claims["role"]?.string == "seller" && claims["shop"]?.integer == 1)
    }
  }

  @Test func `what the server signs is a custom token of the account and opens nothing else`()
    throws
  {
    let accounts = fixture.accounts
    let service = accounts.serviceAccounts
    #expect(try service.sign([1], as: "nobody@demo-brasa.iam.brasa") == nil)
    func signed(_ claims: [JSONValue.Member]) throws -> String {
      let header = JSONValue.object([.init("alg", .string("RS256")), .init("typ", .string("JWT"))])
      let text = [header, .object(claims)].map { Base64.url(Array($0.compact.utf8)) }
        .joined(separator: ".")
      let made = try #require(try service.sign(Array(text.utf8), as: account.email))
      #expect(made.keyID != account.keyID)
      return text + "." + Base64.url(made.signature)
    }
    func claims(_ audience: String) -> [JSONValue.Member] {
      [
        .init("iss", .string(account.email)), .init("sub", .string(account.email)),
        .init("aud", .string(audience)), .init("uid", .string("ana")),
        .init("iat", .integer(now)), .init("exp", .integer(now + 3_600)),
      ]
    }
    let custom = try signed(claims(CustomToken.audience))
    #expect(try project.signIn(customToken: custom).session?.user.uid == "ana")
    let bearer = try signed(claims("https://firestore.googleapis.com/"))
    #expect(throws: JSONWebToken.Problem.signature) {
      try BearerTokens(accounts).bearer(Substring(bearer))
    }
    let assertion = try signed(claims("https://www.googleapis.com/oauth2/v4/token"))
    #expect(throws: JSONWebToken.Problem.signature) { try accounts.exchange(assertion: assertion) }
    // The account keeps one such key over a restart, and loses it with the first key that is revoked.
    let reopened = try fixture.reopened()
    #expect(reopened.serviceAccounts.all.count { $0.isHeld } == 1)
    #expect(try reopened.project("demo-brasa").signIn(customToken: custom).session != nil)
    #expect(try service.revoke(account.keyID).count == 2)
    expect(.invalidCustomToken) { _ = try project.signIn(customToken: custom) }
    #expect(try service.sign([1], as: account.email) == nil)
  }

  @Test func `emulator tokens: refused in production, taken in development`() throws {
    let unsigned =
      Base64.url(Array(#"{"alg":"none","typ":"JWT"}"#.utf8)) + "."
      + Base64.url(
        Array(
          #"{"aud":"\#(CustomToken.audience)","uid":"ana","iat":\#(now),"exp":\#(now + 60)}"#.utf8
        )
      ) + "."
    let development = try AccountsFixture { $0.acceptsUnsigned = true }
    for text in [unsigned, #"{"uid":"ana"}"#] {
      expect(.invalidCustomToken) { _ = try project.signIn(customToken: text) }
      #expect(try development.project.signIn(customToken: text).session?.user.uid == "ana")
    }
  }

  @Test func `an assertion becomes an access token that ends with its key`() throws {
    let assertion = try sign([
      "iss": .string(account.email), "aud": .string("https://oauth2.googleapis.com/token"),
      "scope": .string("https://www.googleapis.com/auth/cloud-platform"),
      "iat": .integer(now), "exp": .integer(now + 3_600),
    ])
    let (access, lifetime) = try fixture.accounts.exchange(assertion: assertion)
    #expect(lifetime == 3_600)
    let tokens = BearerTokens(fixture.accounts)
    guard case .administrator(let email) = try tokens.bearer(Substring(access)) else {
      Issue.record("not an administrator")
      return
    }
    #expect(email == account.email)
    // An assertion opens nothing itself, and an access token signs nobody in.
    #expect(throws: JSONWebToken.Problem.audience) { try tokens.bearer(Substring(assertion)) }
    expect(.invalidIDToken) { _ = try project.signedIn(access) }
    fixture.clock.advance(seconds: 3_599)
    _ = try tokens.bearer(Substring(access))
    #expect(try fixture.accounts.serviceAccounts.revoke(account.keyID).count == 1)
    #expect(throws: JSONWebToken.Problem.unknownKey) { try tokens.bearer(Substring(access)) }
    #expect(throws: JSONWebToken.Problem.unknownKey) {
      try fixture.accounts.exchange(assertion: assertion)
    }
  }

  @Test func `a user's token is no back end's, whatever it claims`() throws {
    var claims = UserUpdate()
    let user = try project.signUpAnonymously(from: .somewhere)
    claims.customClaims = .set(#"{"key":"\#(account.keyID)","admin":true,"role":"admin"}"#)
    _ = try project.update(user.user.uid, claims)
    let token = try fixture.accounts.refresh(user.refreshToken).idToken
    guard case .user = try BearerTokens(fixture.accounts).bearer(Substring(token)) else {
      Issue.record("a user became an administrator")
      return
    }
  }

  @Test func `keys survive a restart, and stay revoked`() throws {
    let fixture = try AccountsFixture(.rocksDB)
    let made = try fixture.accounts.serviceAccounts.create(
      "backend",
      role: .admin,
      project: "p",
      origin: "https://brasa.example"
    )
    _ = try fixture.accounts.serviceAccounts.create(
      "other",
      role: .admin,
      project: "p",
      origin: "https://brasa.example"
    )
    #expect(
      try fixture.reopened().serviceAccounts.all.map(\.name).sorted() == ["backend", "other"]
    )
    _ = try fixture.accounts.serviceAccounts.revoke("backend")
    let reopened = try fixture.reopened().serviceAccounts
    #expect(reopened.all.map(\.name) == ["other"])
    #expect(reopened.key(made.account.keyID) == nil)
  }

  @Test(arguments: ["", "abc", "Backend", "1backend", "back_end", "a b c d", "../backend"])
  func `a name that could mean something else is refused`(name: String) {
    #expect(throws: AccountError.self) {
      try fixture.accounts.serviceAccounts.create(
        name,
        role: .admin,
        project: "p",
        origin: "https://brasa.example"
      )
    }
  }
}
