import BaseJSON
import BaseText
import Crypto
import CryptoExtras
import Foundation
import Synchronization
import Testing

@testable import Authentication

/// Tests of tokens from identity providers: checked against keys of a provider of the test's own.
struct IdentityProvidersTests {
  private let web = ScriptedWeb()
  private let clock = ManualClock(AccountsFixture.start)
  private let providers: IdentityProviders
  private var configuration: ProviderConfiguration

  init() {
    var accounts = AccountsConfiguration()
    accounts.clock = clock.clock
    providers = IdentityProviders(
      fetcher: web,
      configuration: accounts,
      secret: [UInt8](repeating: 7, count: 32)
    )
    configuration = ProviderConfiguration(kind: .oidc, id: "oidc.corp")
    configuration.isEnabled = true
    configuration.clientID = "web"
    configuration.issuer = ScriptedWeb.issuer
    configuration.audiences = ["app"]
  }

  private func token(
    _ changes: [String: JSONValue?] = [:],
    header: [String: JSONValue?] = [:],
    key: _RSA.Signing.PrivateKey = ScriptedWeb.key
  ) throws -> String {
    let claims: [String: JSONValue?] = [
      "iss": .string(ScriptedWeb.issuer), "aud": .string("web"), "sub": .string("p1"),
      "iat": .integer(clock.seconds), "exp": .integer(clock.seconds + 300),
      "email": .string("ana@corp.example"), "email_verified": .boolean(true),
    ]
    let head: [String: JSONValue?] = ["alg": .string("RS256"), "kid": .string("k1")]
    func members(
      _ base: [String: JSONValue?],
      _ changes: [String: JSONValue?]
    ) -> [JSONValue.Member] {
      base.merging(changes) { $1 }.sorted { $0.key < $1.key }
        .compactMap { name, value in value.map { .init(name, $0) } }
    }
    return try JSONWebToken.signed(
      header: members(head, header),
      claims: members(claims, changes),
      key: key
    )
  }

  private func profile(
    _ token: String?,
    nonce: String? = nil,
    accessToken: String? = nil,
    _ other: ProviderConfiguration? = nil
  ) async throws -> ProviderProfile {
    var credential = ProviderCredential(providerID: "oidc.corp")
    credential.idToken = token
    credential.nonce = nonce
    credential.accessToken = accessToken
    return try await providers.profile(credential, other ?? configuration)
  }

  private func refusal(_ body: () async throws -> ProviderProfile) async -> String? {
    do {
      _ = try await body()
      return nil
    } catch {
      return (error as? AccountError)?.code.rawValue ?? "\(error)"
    }
  }

  @Test func `a good token tells who it is`() async throws {
    let found = try await profile(try token(["name": .string("Ana")]))
    #expect(found.identity.profile.rawID == "p1" && found.identity.isEmailVerified)
    #expect(found.identity.profile.displayName == "Ana")
    let app = try await profile(try token(["aud": .string("app")]))
    #expect(app.identity.profile.rawID == "p1")
  }

  static let wrong: [(String, [String: JSONValue?])] = [
    ("issuer", ["iss": .string("https://evil.example")]), ("no issuer", ["iss": JSONValue?.none]),
    ("issuer with a slash", ["iss": .string("\(ScriptedWeb.issuer)/")]),
    ("audience", ["aud": .string("other")]), ("no audience", ["aud": JSONValue?.none]),
    ("audiences without the party", ["aud": .array([.string("web"), .string("other")])]),
    (
      "another party",
      ["aud": .array([.string("web"), .string("other")]), "azp": .string("other")]
    ), ("no subject", ["sub": JSONValue?.none]), ("an empty subject", ["sub": .string("")]),
    ("over", ["exp": .integer(1)]), ("no end", ["exp": JSONValue?.none]),
    ("of later", ["iat": .integer(4_000_000_000), "exp": .integer(4_000_000_300)]),
    ("not yet", ["nbf": .integer(4_000_000_000)]),
  ]

  @Test(arguments: wrong)
  func `a token with a wrong claim is refused`(what: String, changes: [String: JSONValue?]) async {
    #expect(await refusal { try await profile(try token(changes)) } == "INVALID_IDP_RESPONSE")
  }

  @Test func `several audiences name the party that asked`() async throws {
    let both: [String: JSONValue?] = [
      "aud": .array([.string("web"), .string("other")]), "azp": .string("web"),
    ]
    #expect(try await profile(try token(both)).identity.profile.rawID == "p1")
  }

  @Test func `keys come from the configured issuer alone`() async throws {
    let other = try _RSA.Signing.PrivateKey(keySize: .bits2048)
    let forged = [
      try token(key: other), try token(header: ["kid": .string("k9")]),
      try token(header: ["alg": .string("none")]), try token(header: ["alg": .string("HS256")]),
      try token(
        header: ["jku": .string("https://evil.example/keys"), "kid": .string("evil")],
        key: other
      ),
    ]
    for text in forged {
      #expect(await refusal { try await profile(text) } == "INVALID_IDP_RESPONSE")
    }
    #expect(web.asked.allSatisfy { $0.hasPrefix(ScriptedWeb.issuer) })
  }

  @Test func `unknown keys are asked for once in ten seconds`() async throws {
    _ = try await profile(try token())
    let unknown = try token(header: ["kid": .string("new")])
    for _ in 0..<20 { _ = await refusal { try await profile(unknown) } }
    #expect(web.asked.count { $0.hasSuffix("/keys") } == 1)
    clock.advance(seconds: 11)
    for _ in 0..<20 { _ = await refusal { try await profile(unknown) } }
    #expect(web.asked.count { $0.hasSuffix("/keys") } == 2)
  }

  @Test func `a provider that fails is asked again after ten seconds`() async throws {
    web.fail(true)
    for _ in 0..<20 {
      #expect(await refusal { try await profile(try token()) } == "INVALID_IDP_RESPONSE")
    }
    #expect(web.asked.count == 1)
    web.fail(false)
    clock.advance(seconds: 10)
    _ = try await profile(try token())
  }

  @Test func `a provider that never answers holds few connections, and no other provider`()
    async throws
  {
    _ = try await profile(try token())
    let before = web.asked.count
    web.hold(true)
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<100 { group.addTask { _ = await refusal { try await redeem() } } }
      // Those that are refused return while the others are held.
      for _ in 0..<(100 - IdentityProviders.mostQuestions) { await group.next() }
      // One that was let through may not have come to its question yet.
      while !Task.isCancelled, web.asked.count - before < IdentityProviders.mostQuestions {
        await Task.yield()
      }
      #expect(web.asked.count - before == IdentityProviders.mostQuestions)
      var google = ProviderConfiguration(kind: .known, id: "google.com")
      google.isEnabled = true
      google.clientID = "web"
      let issuer = JSONValue.string("https://accounts.google.com")
      _ = try? await profile(try token(["iss": issuer]), google)
      #expect(web.asked.last == "https://www.googleapis.com/oauth2/v3/certs")
      web.hold(false)
    }
    #expect(await refusal { try await redeem() } == "INVALID_IDP_RESPONSE")
    #expect(web.asked.last == "\(ScriptedWeb.issuer)/token")
  }

  /// Brings a code, which the provider's token endpoint is asked about.
  private func redeem() async throws -> ProviderProfile {
    let begun = try await providers.begin(
      configuration,
      continueURI: "https://app.example",
      scope: nil,
      random: .system
    )
    let fields = begun.authURI.split(separator: "&").first { $0.hasPrefix("state=") }
    var credential = ProviderCredential(providerID: "oidc.corp")
    credential.code = "c"
    credential.sessionID = begun.sessionID
    credential.state = fields.map { String($0.dropFirst(6)) }
    credential.requestURI = "https://app.example"
    return try await providers.profile(credential, configuration)
  }

  @Test func `claims that would fill the account's own tokens are left out`() async throws {
    let long = String(repeating: "x", count: 3_000)
    let found = try await profile(
      try token(["name": .string(long), "picture": .string("https://a/\(long)")])
    )
    #expect(found.identity.profile.displayName == nil && found.identity.profile.photoURL == nil)
    #expect(found.identity.profile.rawID == "p1")
  }

  @Test(arguments: ["javascript:alert(1)//", "data:text/html,x", "//evil.example", "https://a b"])
  func `no script takes the place of the page to sign in at`(address: String) async {
    web.authorization = address
    #expect(await refusal { try await redeem() } == "INVALID_IDP_RESPONSE")
  }

  @Test func `an address counts as verified only if the provider says so`() async throws {
    let said: [(JSONValue?, Bool)] = [
      (.boolean(true), true), (.string("true"), true), (.boolean(false), false),
      (.string("false"), false), (.integer(1), false), (nil, false),
    ]
    for (claim, isVerified) in said {
      let found = try await profile(try token(["email_verified": claim]))
      #expect(found.identity.isEmailVerified == isVerified)
    }
  }

  @Test func `a nonce is in both the request and the token or in neither`() async throws {
    let digest = SHA256.hash(data: Data("n1".utf8)).map { String(format: "%02x", $0) }.joined()
    #expect(await refusal { try await profile(try token(["nonce": .string("n1")])) } != nil)
    #expect(await refusal { try await profile(try token(), nonce: "n1") } != nil)
    #expect(
      await refusal { try await profile(try token(["nonce": .string("n1")]), nonce: "n2") } != nil
    )
    _ = try await profile(try token(["nonce": .string("n1")]), nonce: "n1")
    _ = try await profile(try token(["nonce": .string(digest)]), nonce: "n1")
  }

  @Test func `an access token proves nothing`() async {
    #expect(
      await refusal { try await profile(nil, accessToken: "opaque") } == "INVALID_IDP_RESPONSE"
    )
    var gitHub = ProviderConfiguration(kind: .known, id: "github.com")
    gitHub.isEnabled = true
    gitHub.clientID = "web"
    #expect(
      await refusal { try await profile(nil, accessToken: "opaque", gitHub) }
        == "OPERATION_NOT_ALLOWED"
    )
    #expect(web.asked.allSatisfy { !$0.contains("github") })
  }

  @Test func `what is not set up or not enabled signs nobody in`() async {
    var off = configuration
    off.isEnabled = false
    #expect(await refusal { try await profile(try token(), off) } == "OPERATION_NOT_ALLOWED")
    let saml = ProviderConfiguration(kind: .saml, id: "saml.corp")
    #expect(await refusal { try await profile(try token(), saml) } == "OPERATION_NOT_ALLOWED")
    var credential = ProviderCredential(providerID: "google.com")
    credential.idToken = #"{"sub":"x"}"#
    let unsigned = credential
    #expect(
      await refusal { try await providers.profile(unsigned, nil) } == "OPERATION_NOT_ALLOWED"
    )
  }

  @Test func `Google's and Apple's tokens are theirs alone`() async throws {
    for (id, issuers) in [
      ("google.com", ["https://accounts.google.com", "accounts.google.com"]),
      ("apple.com", ["https://appleid.apple.com"]),
    ] {
      var known = ProviderConfiguration(kind: .known, id: id)
      known.isEnabled = true
      known.clientID = "web"
      for issuer in issuers {
        let found = try await profile(try token(["iss": .string(issuer)]), known)
        #expect(found.identity.profile.providerID == Text(id))
      }
      for issuer in ["https://accounts.google.com.evil.example", ScriptedWeb.issuer] {
        let text = try token(["iss": .string(issuer)])
        #expect(await refusal { try await profile(text, known) } == "INVALID_IDP_RESPONSE")
      }
      let foreign = try token(["iss": .string(issuers[0]), "aud": .string("another app")])
      #expect(await refusal { try await profile(foreign, known) } == "INVALID_IDP_RESPONSE")
    }
  }

  @Test func `Apple's nonce is the digest of the client's`() async throws {
    var apple = ProviderConfiguration(kind: .known, id: "apple.com")
    apple.isEnabled = true
    apple.clientID = "web"
    let digest = SHA256.hash(data: Data("n1".utf8)).map { String(format: "%02x", $0) }.joined()
    let issuer = JSONValue.string("https://appleid.apple.com")
    let plain = try token(["iss": issuer, "nonce": .string("n1")])
    #expect(
      await refusal { try await profile(plain, nonce: "n1", apple) } == "MISSING_OR_INVALID_NONCE"
    )
    _ = try await profile(try token(["iss": issuer, "nonce": .string(digest)]), nonce: "n1", apple)
  }
}

/// Documents of providers, all signed with one key.
final class ScriptedWeb: DocumentFetcher {
  static let issuer = "https://login.corp.example"
  static let key: _RSA.Signing.PrivateKey = {
    do {
      return try _RSA.Signing.PrivateKey(keySize: .bits2048)
    } catch {
      preconditionFailure("\(error)")
    }
  }()

  private struct State {
    var asked: [String] = []
    var fails = false
    var holds = false
    var held: [CheckedContinuation<Void, Never>] = []
    var authorization = "\(ScriptedWeb.issuer)/authorize"
  }

  private let state = Mutex(State())

  /// The addresses that were asked.
  var asked: [String] { state.withLock { $0.asked } }

  var authorization: String {
    get { state.withLock { $0.authorization } }
    set { state.withLock { $0.authorization = newValue } }
  }

  /// Makes every fetch fail, or none.
  func fail(_ fails: Bool) { state.withLock { $0.fails = fails } }

  /// Makes the token endpoint keep its callers waiting, or lets them go.
  func hold(_ holds: Bool) {
    let held = state.withLock { state in
      state.holds = holds
      defer { state.held = [] }
      return state.held
    }
    for waiting in held { waiting.resume() }
  }

  func fetch(_ request: DocumentRequest) async throws -> FetchedDocument {
    try state.withLock { state in
      state.asked.append(request.url)
      if state.fails { throw CancellationError() }
    }
    if request.url.hasSuffix("/token") {
      await withCheckedContinuation { continuation in
        let isHeld = state.withLock { state in
          if state.holds { state.held.append(continuation) }
          return state.holds
        }
        if !isHeld { continuation.resume() }
      }
    }
    let document: JSONValue
    if request.url.hasSuffix("/.well-known/openid-configuration") {
      document = .object([
        .init("issuer", .string(Self.issuer)), .init("jwks_uri", .string("\(Self.issuer)/keys")),
        .init("authorization_endpoint", .string(authorization)),
        .init("token_endpoint", .string("\(Self.issuer)/token")),
      ])
    } else {
      let primitives = try Self.key.publicKey.getKeyPrimitives()
      document = .object([
        .init(
          "keys",
          .array([
            .object([
              .init("kty", .string("RSA")), .init("kid", .string("k1")),
              .init("n", .string(Base64.url(primitives.modulus))),
              .init("e", .string(Base64.url(primitives.publicExponent))),
            ])
          ])
        )
      ])
    }
    return FetchedDocument(status: 200, body: Array(document.compact.utf8), maxAge: 300)
  }
}
