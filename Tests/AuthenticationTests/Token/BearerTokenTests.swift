import BaseJSON
import BaseText
import Crypto
import CryptoExtras
import Foundation
import JWTKit
import ModelTestSupport
import Synchronization
import Testing

@testable import Authentication

/// Which bearer tokens are good, and for how long.
struct BearerTokenTests {
  private let fixture: AccountsFixture
  private let tokens: BearerTokens
  private let session: Session

  init() throws {
    fixture = try AccountsFixture()
    tokens = BearerTokens(fixture.accounts)
    session = try fixture.project.signUpAnonymously(from: .somewhere)
  }

  private var now: Int64 { fixture.clock.seconds }

  @Test func `an ID token opens as its user`() throws {
    let bearer = try tokens.bearer(Substring(session.idToken))
    guard case .user(let user) = bearer else {
      Issue.record("not a user")
      return
    }
    #expect(user.uid == session.user.uid)
    #expect(user.scope == .project("demo-brasa"))
    #expect(user.expiry == now + 3_600)
    #expect(user.claims["sub"] == .string(session.user.uid))
    #expect(user.claims["iss"] == .string("https://securetoken.google.com/demo-brasa"))
  }

  @Test func `JWTKit verifies our tokens with our published keys`() async throws {
    let keys = JWTKeyCollection()
    try await keys.add(jwksJSON: fixture.accounts.signingKeys.webKeys())
    let payload = try await keys.verify(session.idToken, as: FirebaseAuthIdentityToken.self)
    #expect(payload.userID == session.user.uid.string)
    #expect(payload.firebase?.signInProvider == "anonymous")
  }

  @Test func `the certificates carry the keys that sign`() throws {
    let document = try JSONValue(parsing: fixture.accounts.signingKeys.certificates())
    let token = try JSONWebToken(parsing: session.idToken)
    let pem = document[try #require(token.keyID)]?.string
    #expect(pem?.hasPrefix("-----BEGIN CERTIFICATE-----\n") == true)
  }

  @Test func `a token ends with its hour, known or not`() throws {
    let text = Substring(session.idToken)
    _ = try tokens.bearer(text)
    fixture.clock.advance(seconds: 3_599)
    _ = try tokens.bearer(text)
    fixture.clock.advance(seconds: 1)
    #expect(throws: JSONWebToken.Problem.expired) { try tokens.bearer(text) }
    #expect(throws: JSONWebToken.Problem.expired) {
      try BearerTokens(fixture.accounts).bearer(text)
    }
  }

  @Test(arguments: EarlyEnd.allCases)
  func `a token stops with the change, known or not`(end: EarlyEnd) throws {
    let project = fixture.project
    let other = try project.signUpAnonymously(from: .somewhere)
    let text = Substring(session.idToken)
    _ = try tokens.bearer(text)
    let told = Told()
    tokens.onRevocation { told.add($0) }
    // Within the second of the sign-in, which times in whole seconds could not tell apart.
    try end.apply(to: session.user.uid, in: project)
    #expect(throws: AccountError.self) { try tokens.bearer(text) }
    #expect(throws: AccountError.self) { try BearerTokens(fixture.accounts).bearer(text) }
    #expect(throws: AccountError.self) { try project.signedIn(session.idToken) }
    #expect(throws: AccountError.self) { try fixture.accounts.refresh(session.refreshToken) }
    #expect(told.all == [.user(.project("demo-brasa"), uid: session.user.uid)])
    let identity = try #require(try user(of: other.idToken))
    #expect(
      tokens.isValid(identity.scope, identity.uid, session: identity.session, expiry: now + 60)
    )
    #expect(
      !tokens.isValid(
        .project("demo-brasa"),
        session.user.uid,
        session: session.user.session,
        expiry: now + 60
      )
    )
  }

  @Test func `a user who is enabled again gets new tokens, and the old stay ended`() throws {
    let project = fixture.project
    try EarlyEnd.disabled.apply(to: session.user.uid, in: project)
    var enable = UserUpdate()
    enable.isDisabled = false
    let user = try project.update(session.user.uid, enable)
    #expect(throws: AccountError.self) { try tokens.bearer(Substring(session.idToken)) }
    let again = try project.renew(user, session.signIn)
    _ = try tokens.bearer(Substring(again.idToken))
  }

  @Test func `a uid that is used again does not revive old tokens`() throws {
    let project = fixture.project
    try project.delete(session.user.uid)
    _ = try project.create(NewUser(uid: session.user.uid.string))
    #expect(throws: AccountError.self) { try tokens.bearer(Substring(session.idToken)) }
    #expect(throws: AccountError.self) { try fixture.accounts.refresh(session.refreshToken) }
  }

  @Test func `a uid that is used again listens again`() throws {
    let project = fixture.project
    try project.delete(session.user.uid)
    let again = try project.create(NewUser(uid: session.user.uid.string))
    let renewed = try project.renew(again, session.signIn)
    let user = try #require(try user(of: renewed.idToken))
    #expect(tokens.isValid(user.scope, user.uid, session: user.session, expiry: user.expiry))
    #expect(
      !tokens.isValid(
        user.scope,
        user.uid,
        session: session.user.session,
        expiry: user.expiry
      )
    )
  }

  @Test(arguments: BearerTokens.RevocationMode.allCases)
  func `an immediate rotation ends tokens that are known and listeners`(
    mode: BearerTokens.RevocationMode
  ) throws {
    let tokens = BearerTokens(fixture.accounts, mode: mode)
    let old = try #require(try user(of: session.idToken))
    _ = try tokens.bearer(Substring(session.idToken))
    let told = Told()
    tokens.onRevocation { told.add($0) }
    try fixture.accounts.rotateSigningKeys(immediately: false)
    _ = try tokens.bearer(Substring(session.idToken))
    #expect(told.all.isEmpty)
    try fixture.accounts.rotateSigningKeys(immediately: true)
    #expect(throws: JSONWebToken.Problem.unknownKey) {
      try tokens.bearer(Substring(session.idToken))
    }
    #expect(!tokens.isValid(old.scope, old.uid, session: old.session, expiry: old.expiry))
    #expect(told.all == [.everybody])
    fixture.clock.advance(seconds: 1)
    let fresh = try fixture.accounts.refresh(session.refreshToken)
    let new = try #require(try user(of: fresh.idToken))
    #expect(tokens.isValid(new.scope, new.uid, session: new.session, expiry: new.expiry))
  }

  @Test func `an account gets tokens at once where the clock went back after it was made`() throws {
    fixture.clock.advance(seconds: -3_600)
    let fresh = try fixture.accounts.refresh(session.refreshToken)
    _ = try tokens.bearer(Substring(fresh.idToken))
    _ = try fixture.project.signedIn(fresh.idToken)
    var update = UserUpdate()
    update.validSince = now
    _ = try fixture.project.update(session.user.uid, update)
    #expect(throws: (any Error).self) { try tokens.bearer(Substring(fresh.idToken)) }
  }

  @Test func `lazy revocation lets a token live out its hour`() throws {
    let lazy = BearerTokens(fixture.accounts, mode: .lazy)
    try fixture.project.delete(session.user.uid)
    _ = try lazy.bearer(Substring(session.idToken))
    fixture.clock.advance(seconds: 3_600)
    #expect(throws: JSONWebToken.Problem.expired) { try lazy.bearer(Substring(session.idToken)) }
  }

  @Test func `unsigned tokens: refused unless development says so`() throws {
    let claims = [
      "iss": "https://securetoken.google.com/demo-brasa", "aud": "demo-brasa", "sub": "x",
    ]
    let text = token(
      header: #"{"alg":"none","typ":"JWT"}"#,
      claims: json(claims, iat: now, exp: now + 60),
      signature: ""
    )
    #expect(throws: JSONWebToken.Problem.algorithm) { try tokens.bearer(text) }
    let development = try AccountsFixture { $0.acceptsUnsigned = true }
    _ = try BearerTokens(development.accounts).bearer(text)
  }

  @Test(arguments: ["exp", "iat", "nbf", "auth_time"])
  func `a token's times may be any number and harm nobody`(claim: String) throws {
    let development = try AccountsFixture { $0.acceptsUnsigned = true }
    let project = development.project
    let user = try project.signUpAnonymously(from: .somewhere).user
    var update = UserUpdate()
    update.email = .set("ana@example.com")
    update.password = .set("correct horse battery")
    _ = try project.update(user.uid, update)
    let start = development.clock.seconds
    for number in [Int64.min, .min + 1, -1, 0, 1 << 53, .max - 1, .max] {
      let times = ["exp": start + 60, "iat": start, "nbf": start, "auth_time": start]
        .merging([claim: number]) { $1 }
      let claims =
        #"{"iss":"https://securetoken.google.com/demo-brasa","aud":"demo-brasa","#
        + #""sub":"\#(user.uid.string)""#
        + times.map { #","\#($0.key)":\#($0.value)"# }.joined() + "}"
      let text = token(header: #"{"alg":"none","typ":"JWT"}"#, claims: claims, signature: "")
      let bearer = try? BearerTokens(development.accounts).bearer(text)
      if number < 0 { #expect(bearer == nil, "\(claim) \(number)") }
      // The age of the sign-in is looked at here.
      _ = try? project.deleteOwn(idToken: String(text))
      _ = try? project.makeSessionCookie(idToken: String(text), lifetime: 300)
    }
  }

  /// Tokens that are not quite right, each made of the good one.
  @Test(arguments: Forgery.allCases)
  func `a forged token is refused`(forgery: Forgery) throws {
    let key = try fixture.accounts.signingKeys.signer()
    let good = try JSONWebToken(parsing: session.idToken)
    let text = try forgery.make(from: good, of: session.idToken, key: key, now: now)
    #expect(throws: (any Error).self, "\(forgery)") { try tokens.bearer(Substring(text)) }
    // And does not become good because the true one is known.
    _ = try tokens.bearer(Substring(session.idToken))
    #expect(throws: (any Error).self, "\(forgery)") { try tokens.bearer(Substring(text)) }
  }

  @Test func `random damage never verifies`() throws {
    var random = SystemRandomNumberGenerator()
    let seed = UInt64.random(in: 0...UInt64.max, using: &random)
    var source = SeededSource(seed: seed)
    let good = Array(session.idToken.utf8)
    for _ in 0..<2_000 {
      var bytes = good
      for _ in 0...Int(source.next() % 3) {
        let position = Int(source.next() % UInt64(bytes.count))
        switch source.next() % 3 {
        case 0: bytes[position] = UInt8(truncatingIfNeeded: source.next() % 127)
        case 1: bytes.remove(at: position)
        default: bytes.insert(UInt8(truncatingIfNeeded: 32 + source.next() % 90), at: position)
        }
      }
      guard bytes != good else { continue }
      let text = String(decoding: bytes, as: UTF8.self)
      #expect(throws: (any Error).self, "seed \(seed): \(text)") {
        try tokens.bearer(Substring(text))
      }
    }
  }

  private func user(of text: String) throws -> BearerUser? {
    if case .user(let user) = try tokens.bearer(Substring(text)) { user } else { nil }
  }
}

/// The ways in which a user's tokens end early.
enum EarlyEnd: CaseIterable, CustomTestStringConvertible {
  case disabled, deleted, revoked, passwordChanged

  var testDescription: String { "\(self)" }

  func apply(to uid: Text, in project: ProjectAccounts) throws {
    var update = UserUpdate()
    switch self {
    case .disabled: update.isDisabled = true
    case .deleted: return try project.delete(uid)
    case .revoked: return try project.revoke(uid)
    case .passwordChanged: update.password = .set("correct horse battery")
    }
    _ = try project.update(uid, update)
  }
}

/// Tokens that must not verify.
enum Forgery: CaseIterable, CustomTestStringConvertible {
  case unsigned, symmetric, otherAlgorithm, noAlgorithm, unknownKey, noKey, otherKey, emptySignature
  case critical, detached, repeatedMember, repeatedHeader, padded, standardAlphabet, extraPart
  case missingPart, wrongIssuer, otherProject, sessionCookie, noSubject, longSubject, noExpiry
  case fractionalExpiry, expired, issuedLater, notBefore, audienceList, noSession, oversize, notJSON
  case notObject, deep, empty, longLived, pathAsKey, keyBeside

  var testDescription: String { "\(self)" }

  func make(from good: JSONWebToken, of text: String, key: SigningKey, now: Int64) throws -> String
  {
    let parts = text.split(separator: ".").map(String.init)
    let header = try #require(good.header.members)
    let claims = try #require(good.claims.members)
    func signed(
      _ changedHeader: [JSONValue.Member]? = nil,
      _ changedClaims: [JSONValue.Member]? = nil
    ) throws -> String {
      try JSONWebToken.signed(
        header: changedHeader ?? header,
        claims: changedClaims ?? claims,
        key: key.privateKey
      )
    }
    func with(
      _ members: [JSONValue.Member],
      _ name: String,
      _ value: JSONValue?
    ) -> [JSONValue.Member] {
      members.filter { $0.key != name } + (value.map { [.init(name, $0)] } ?? [])
    }
    switch self {
    case .unsigned:
      return token(header: #"{"alg":"none"}"#, claims: good.claims.compact, signature: "")
        .description
    case .symmetric:
      // HS256 with the public key as the secret, the classic confusion.
      let head = Base64.url(Array(#"{"alg":"HS256","kid":"\#(key.id)","typ":"JWT"}"#.utf8))
      let secret = SymmetricKey(data: Data(key.publicKey.pemRepresentation.utf8))
      let code = HMAC<SHA256>.authenticationCode(
        for: Data("\(head).\(parts[1])".utf8),
        using: secret
      )
      return "\(head).\(parts[1]).\(Base64.url(Array(code)))"
    case .otherAlgorithm: return try signed(with(header, "alg", .string("RS512")))
    case .noAlgorithm: return try signed(with(header, "alg", nil))
    case .unknownKey: return try signed(with(header, "kid", .string("0000")))
    case .noKey: return try signed(with(header, "kid", nil))
    case .otherKey:
      return try JSONWebToken.signed(
        header: header,
        claims: claims,
        key: _RSA.Signing.PrivateKey(keySize: .bits2048)
      )
    case .emptySignature: return "\(parts[0]).\(parts[1])."
    case .critical: return try signed(with(header, "crit", .array([.string("exp")])))
    case .detached: return try signed(with(header, "b64", .boolean(false)))
    case .repeatedMember: return try signed(nil, claims + [.init("sub", .string("somebody else"))])
    case .repeatedHeader: return try signed(header + [.init("kid", .string(key.id))])
    case .padded: return text + "="
    case .standardAlphabet: return parts[0] + "+/." + parts[1] + "." + parts[2]
    case .extraPart: return text + ".e30"
    case .missingPart: return "\(parts[0]).\(parts[1])"
    case .wrongIssuer:
      return try signed(nil, with(claims, "iss", .string("https://accounts.google.com")))
    case .otherProject: return try signed(nil, with(claims, "aud", .string("other")))
    case .sessionCookie:
      let issuer = JSONValue.string("https://session.firebase.google.com/demo-brasa")
      return try signed(nil, with(claims, "iss", issuer))
    case .noSubject: return try signed(nil, with(claims, "sub", nil))
    case .longSubject:
      return try signed(nil, with(claims, "sub", .string(String(repeating: "u", count: 129))))
    case .noExpiry: return try signed(nil, with(claims, "exp", nil))
    case .fractionalExpiry: return try signed(nil, with(claims, "exp", .string("\(now + 60)")))
    case .expired: return try signed(nil, with(claims, "exp", .integer(now)))
    case .longLived: return try signed(nil, with(claims, "exp", .integer(now + 86_400)))
    case .pathAsKey: return try signed(with(header, "kid", .string("../../\(key.id)")))
    case .keyBeside:
      let head = with(header, "jku", .string("https://evil.example/keys"))
      return try signed(with(head, "kid", .string("0000")))
    case .issuedLater: return try signed(nil, with(claims, "iat", .integer(now + 120)))
    case .notBefore: return try signed(nil, with(claims, "nbf", .integer(now + 120)))
    case .audienceList:
      return try signed(nil, with(claims, "aud", .array([.string("demo-brasa")])))
    case .noSession: return try signed(with(header, "ses", nil))
    case .oversize:
      return try signed(nil, claims + [.init("x", .string(String(repeating: "x", count: 17_000)))])
    case .notJSON: return Base64.url(Array("nonsense".utf8)) + ".\(parts[1]).\(parts[2])"
    case .notObject: return Base64.url(Array("[]".utf8)) + ".\(parts[1]).\(parts[2])"
    case .deep:
      let deep = (0..<2_000).reduce(JSONValue.null) { inner, _ in .array([inner]) }
      return try signed(nil, claims + [.init("x", deep)])
    case .empty: return ""
    }
  }
}

/// Something that was told, from any thread.
final class Told: Sendable {
  private let list = Mutex<[Revocation]>([])

  func add(_ revocation: Revocation) { list.withLock { $0.append(revocation) } }

  var all: [Revocation] { list.withLock { $0 } }
}

private func token(header: String, claims: String, signature: String) -> Substring {
  Substring(Base64.url(Array(header.utf8)) + "." + Base64.url(Array(claims.utf8)) + "." + signature)
}

private func json(_ texts: [String: String], iat: Int64, exp: Int64) -> String {
  JSONValue.object(
    texts.sorted { $0.key < $1.key }.map { .init($0.key, .string($0.value)) } + [
      .init("iat", .integer(iat)), .init("exp", .integer(exp)),
    ]
  ).compact
}
