import BaseJSON
import BaseRuntime
import BaseText
import Crypto
import CryptoExtras
import Synchronization

/// Checks what people bring from identity providers.
///
/// Issuer, audience and the address of the keys are the configuration's, or fixed for the providers that
/// Firebase knows; nothing of a token chooses them. Discovery and keys are kept as long as their servers
/// say, an hour at most. Keys that are not known yet are asked for at most once in ten seconds, and so is a document
/// whose server failed. Any task may call.
package final class IdentityProviders: Sendable {
  private struct Kept<Content: Sendable>: Sendable {
    let content: Content
    let fetched: Int64
    let end: Int64
  }

  private struct State {
    var endpoints: [String: Kept<ProviderEndpoints>] = [:]
    var keys: [String: Kept<[String: _RSA.Signing.PublicKey]>] = [:]
    /// Documents that could not be had, and when they may be asked for again.
    var failures: [String: Int64] = [:]
    /// Questions in flight by host, none with zero.
    var asking: [Substring: Int] = [:]
  }

  private let fetcher: any DocumentFetcher
  private let clock: MicrosecondClock
  /// Codes and their proofs are derived from it.
  private let secret: SymmetricKey
  /// Seals pending tokens.
  let pendingKey: SymmetricKey
  /// True in development.
  let acceptsUnsigned: Bool
  private let state = Mutex(State())

  /// The most seconds that a document is kept, and the fewest between two questions for one.
  private static let longestLife: Int64 = 3_600
  private static let refetchInterval: Int64 = 10
  /// Issuers whose documents are kept at most.
  private static let capacity = 200
  /// Questions that one host is asked at once: one that never answers holds no more connections.
  static let mostQuestions = 32

  /// Checks with documents from that fetcher.
  ///
  /// - Parameter secret: 32 bytes. A caller with the same keys finishes what another one began
  ///   (`Accounts.providersSecret`).
  package init(
    fetcher: any DocumentFetcher,
    configuration: AccountsConfiguration,
    secret: [UInt8]
  ) {
    self.fetcher = fetcher
    pendingKey = SymmetricKey(
      data: HMAC<SHA256>.authenticationCode(
        for: Array("pending-token".utf8),
        using: SymmetricKey(data: secret)
      )
    )
    clock = configuration.clock
    self.secret = SymmetricKey(data: secret)
    acceptsUnsigned = configuration.acceptsUnsigned
  }

  var now: Int64 { clock.now() / 1_000_000 }

  // MARK: Checking

  /// Returns the profile of the credential's person; throws INVALID_IDP_RESPONSE where it does not
  /// hold.
  ///
  /// Development mode also accepts the Auth emulator's forms: claims without a signature
  /// (`UnsignedCredential`), and any token of a provider that is not set up.
  ///
  /// - Parameter takesClaims: False where development does not do so for this caller.
  package func profile(
    _ credential: ProviderCredential,
    _ configuration: ProviderConfiguration?,
    takesClaims: Bool = true
  ) async throws -> ProviderProfile {
    let found = try await checked(credential, configuration, takesClaims: takesClaims)
    // Apple sends a name beside the token, and only the first time.
    guard credential.providerID == KnownProvider.apple.rawValue else { return found }
    return found.named(by: credential.user)
  }

  private func checked(
    _ credential: ProviderCredential,
    _ configuration: ProviderConfiguration?,
    takesClaims: Bool
  ) async throws -> ProviderProfile {
    let acceptsUnsigned = acceptsUnsigned && takesClaims
    guard configuration?.isEnabled ?? acceptsUnsigned else {
      throw AccountError(.operationNotAllowed)
    }
    if acceptsUnsigned,
      let unsigned = try UnsignedCredential(credential, isSetUp: configuration != nil)
    {
      return try unsigned.profile
    }
    guard let configuration else { throw UnsignedCredential.refusal(of: credential) }
    guard configuration.kind != .saml else {
      throw AccountError(.operationNotAllowed, ProviderConfiguration.noSAML)
    }
    let endpoints = try await endpoints(of: configuration)
    var credential = credential
    var nonce = credential.nonce
    if let code = credential.code {
      nonce = try self.nonce(of: credential)
      credential = try await redeem(code, credential, configuration, endpoints)
    }
    switch endpoints.profile {
    case .gitHub: return try await gitHubProfile(credential)
    case .facebook: return try await facebookProfile(credential, configuration)
    case .idToken: break
    }
    guard let idToken = credential.idToken else {
      throw Self.invalid("An ID token is required; an access token is not enough.")
    }
    return try await profile(
      idToken,
      credential,
      configuration,
      endpoints,
      nonce: nonce,
      isOwnNonce: credential.code != nil
    )
  }

  private func profile(
    _ idToken: String,
    _ credential: ProviderCredential,
    _ configuration: ProviderConfiguration,
    _ endpoints: ProviderEndpoints,
    nonce: String?,
    isOwnNonce: Bool
  ) async throws -> ProviderProfile {
    let token: JSONWebToken
    do {
      token = try JSONWebToken(parsing: idToken)
      try token.check(try await key(of: token, endpoints))
      try token.checkTimes(at: now, leeway: 60)
    } catch let problem as JSONWebToken.Problem {
      throw AccountError(
        .init(rawValue: "INVALID_IDP_RESPONSE"),
        "The ID token is not valid: \(problem).",
        cause: problem
      )
    }
    let claims = token.claims
    guard let issuer = claims["iss"]?.string, endpoints.accepts(issuer: issuer, claims) else {
      throw Self.invalid("The ID token has another issuer than the provider.")
    }
    try checkAudience(claims, configuration)
    let inToken = claims["nonce"]?.string
    if nonce != nil || !isBroughtBack(inToken, claims) {
      try Self.checkNonce(inToken, nonce, isHashed: endpoints.hashesNonce && !isOwnNonce)
    }
    return try Self.profile(
      claims,
      providerID: configuration.id,
      idToken: idToken,
      accessToken: credential.accessToken,
      verifiesEmail: endpoints.verifiesEmail
    )
  }

  /// The token must be for one of the project's clients; a token for several names its party too.
  private func checkAudience(
    _ claims: JSONValue,
    _ configuration: ProviderConfiguration
  ) throws(AccountError) {
    let allowed = Set(
      ([configuration.clientID].compactMap(\.self) + configuration.audiences).map { Text($0) }
    )
    let audiences =
      claims["aud"]?.string.map { [$0] } ?? claims["aud"]?.elements?.compactMap(\.string) ?? []
    let party = claims["azp"]?.string
    guard !audiences.isEmpty, audiences.contains(where: { allowed.contains(Text($0)) }),
      audiences.count == 1 || party.map({ allowed.contains(Text($0)) }) == true
    else { throw Self.invalid("The ID token is for another client.") }
  }

  /// Returns true for a token that this server got for a code within the last hour: clients have it from the response, and
  /// bring it back to link an account without knowing the nonce.
  private func isBroughtBack(_ nonce: String?, _ claims: JSONValue) -> Bool {
    guard let nonce, let start = claims["iat"]?.integer else { return false }
    return isOwnNonce(nonce) && start > now - ProviderSession.lifetime
  }

  /// A token that carries a nonce needs it, and a nonce that was given must be in the token.
  private static func checkNonce(
    _ inToken: String?,
    _ given: String?,
    isHashed: Bool
  ) throws(AccountError) {
    if inToken == nil, given == nil { return }
    guard let inToken, let given else {
      throw AccountError(.init(rawValue: "MISSING_OR_INVALID_NONCE"))
    }
    let digest = Hexadecimal.text(SHA256.hash(data: Array(given.utf8)))
    let isRight = isHashed ? inToken == digest : inToken == given || inToken == digest
    guard isRight else { throw AccountError(.init(rawValue: "MISSING_OR_INVALID_NONCE")) }
  }

  static func profile(
    _ claims: JSONValue,
    providerID: String,
    idToken: String?,
    accessToken: String?,
    rawUserInfo: String? = nil,
    verifiesEmail: Bool = true
  ) throws(AccountError) -> ProviderProfile {
    guard let subject = claims["sub"]?.string, !subject.isEmpty, subject.utf8.count <= 512 else {
      throw invalid("The ID token has no subject.")
    }
    let isVerified = claims["email_verified"]
    let linked = LinkedProvider(
      providerID: Text(providerID),
      rawID: Text(subject),
      email: bounded(claims["email"]),
      displayName: bounded(claims["name"]),
      photoURL: bounded(claims["picture"]),
      screenName: bounded(claims["screen_name"]) ?? bounded(claims["preferred_username"])
    )
    return ProviderProfile(
      identity: ProviderIdentity(
        profile: linked,
        isEmailVerified: verifiesEmail
          && (isVerified?.boolean == true || isVerified?.string == "true")
      ),
      firstName: claims["given_name"]?.string,
      lastName: claims["family_name"]?.string,
      rawUserInfo: rawUserInfo ?? claims.compact,
      idToken: idToken,
      accessToken: accessToken
    )
  }

  /// The text of a claim; nil of one that would make the account's own tokens too long to be read.
  private static func bounded(_ claim: JSONValue?) -> String? {
    claim?.string.flatMap { $0.utf8.count <= 2_048 ? $0 : nil }
  }

  static func invalid(_ detail: String) -> AccountError {
    AccountError(.init(rawValue: "INVALID_IDP_RESPONSE"), detail)
  }

  // MARK: Documents

  /// Returns the endpoints of a provider.
  private func endpoints(
    of configuration: ProviderConfiguration
  ) async throws -> ProviderEndpoints {
    guard configuration.kind == .oidc else {
      guard let known = KnownProvider(rawValue: configuration.id) else {
        throw AccountError(
          .operationNotAllowed,
          KnownProvider.refusal(of: configuration.id)
        )
      }
      return known.endpoints(tenant: configuration.tenant)
    }
    guard let issuer = configuration.issuer else { throw AccountError(.invalidConfiguration) }
    return try await discover(issuer)
  }

  private func discover(_ issuer: String) async throws -> ProviderEndpoints {
    let now = now
    if let kept = state.withLock({ $0.endpoints[issuer] }), kept.end > now { return kept.content }
    let base = issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer
    let (document, life) = try await json("\(base)/.well-known/openid-configuration")
    guard let named = document["issuer"]?.string, named == issuer || named == base else {
      throw Self.invalid("The provider's discovery names another issuer.")
    }
    guard let keys = document["jwks_uri"]?.string else {
      throw Self.invalid("The provider's discovery names no keys.")
    }
    let authorization = document["authorization_endpoint"]?.string
    // A client opens it: a script in its place would run in the client's page.
    guard authorization.map(Self.isWebAddress) ?? true else {
      throw Self.invalid("The provider's authorization endpoint is not a web address.")
    }
    let found = ProviderEndpoints(
      issuers: [named],
      keys: keys,
      authorization: authorization,
      token: document["token_endpoint"]?.string
    )
    state.withLock {
      if $0.endpoints.count >= Self.capacity { $0.endpoints = [:] }
      $0.endpoints[issuer] = Kept(content: found, fetched: now, end: now + life)
    }
    return found
  }

  private static func isWebAddress(_ text: String) -> Bool {
    (text.hasPrefix("https://") || text.hasPrefix("http://")) && text.utf8.count <= 2_048
      && text.unicodeScalars.allSatisfy { $0.value > 0x20 && $0.value != 0x7F }
  }

  /// The key that a token names, fetched again if it is unknown.
  private func key(
    of token: JSONWebToken,
    _ endpoints: ProviderEndpoints
  ) async throws -> _RSA.Signing.PublicKey {
    guard token.algorithm == "RS256" else { throw JSONWebToken.Problem.algorithm }
    guard let address = endpoints.keys else { throw JSONWebToken.Problem.unknownKey }
    let now = now
    let kept = state.withLock { $0.keys[address] }
    if let kept, kept.end > now, let key = Self.key(token, kept.content) { return key }
    if let kept, now - kept.fetched < Self.refetchInterval { throw JSONWebToken.Problem.unknownKey }
    let (document, life) = try await json(address)
    let keys = Self.keys(document)
    state.withLock {
      if $0.keys.count >= Self.capacity { $0.keys = [:] }
      $0.keys[address] = Kept(content: keys, fetched: now, end: now + life)
    }
    guard let key = Self.key(token, keys) else { throw JSONWebToken.Problem.unknownKey }
    return key
  }

  private static func key(
    _ token: JSONWebToken,
    _ keys: [String: _RSA.Signing.PublicKey]
  ) -> _RSA.Signing.PublicKey? {
    if let id = token.keyID { return keys[id] }
    return keys.count == 1 ? keys.values.first : nil
  }

  private static func keys(_ document: JSONValue) -> [String: _RSA.Signing.PublicKey] {
    var found: [String: _RSA.Signing.PublicKey] = [:]
    for key in document["keys"]?.elements?.prefix(100) ?? [] {
      guard key["kty"]?.string == "RSA", key["use"]?.string ?? "sig" == "sig",
        let modulus = key["n"]?.string.flatMap(Base64.decode),
        let exponent = key["e"]?.string.flatMap(Base64.decode),
        (256...1_024).contains(modulus.drop { $0 == 0 }.count),
        let made = try? _RSA.Signing.PublicKey(n: modulus, e: exponent)
      else { continue }
      found[key["kid"]?.string ?? ""] = made
    }
    return found
  }

  /// A JSON document, and how many seconds it may be kept.
  func json(_ url: String, _ request: DocumentRequest? = nil) async throws -> (JSONValue, Int64) {
    let host = url.prefix(while: Self.isBeforePath())
    // Requests that strangers shape differ from one another: only a document's own failure says something of the next one.
    let isShared = request == nil
    try begin(asking: host, isShared ? url : nil)
    do {
      let found = try await document(request ?? DocumentRequest(url: url))
      end(asking: host, failed: nil)
      return found
    } catch {
      end(asking: host, failed: isShared ? url : nil)
      throw error
    }
  }

  private static func isBeforePath() -> (Character) -> Bool {
    var slashes = 0
    return { character in
      if character == "/" { slashes += 1 }
      return slashes < 3
    }
  }

  private func begin(asking host: Substring, _ document: String?) throws(AccountError) {
    let now = now
    let isBusy = state.withLock { state -> Bool in
      if let document, let end = state.failures[document], now < end { return true }
      guard state.asking[host, default: 0] < Self.mostQuestions else { return true }
      state.asking[host, default: 0] += 1
      return false
    }
    if isBusy {
      throw Self.invalid("The provider has not responded. Try again in a few seconds.")
    }
  }

  private func end(asking host: Substring, failed document: String?) {
    state.withLock { state in
      let left = state.asking[host, default: 1] - 1
      state.asking[host] = left > 0 ? left : nil
      guard let document else { return }
      if state.failures.count >= Self.capacity { state.failures = [:] }
      state.failures[document] = now + Self.refetchInterval
    }
  }

  private func document(_ request: DocumentRequest) async throws -> (JSONValue, Int64) {
    let answer: FetchedDocument
    do {
      answer = try await fetcher.fetch(request)
    } catch {
      throw AccountError(
        .init(rawValue: "INVALID_IDP_RESPONSE"),
        "The provider could not be reached.",
        cause: error
      )
    }
    guard answer.status == 200, let text = String(validating: answer.body, as: UTF8.self),
      let document = try? JSONValue(parsing: text),
      document.members != nil || document.elements != nil
    else { throw Self.invalid("The provider answered \(answer.status).") }
    let life = Int64(answer.maxAge ?? 300)
    return (document, min(max(life, 60), Self.longestLife))
  }
}

// MARK: Codes

extension IdentityProviders {
  /// Returns the address at which a person signs in with a provider, and the session that the code
  /// belongs to.
  ///
  /// The code is bound to the session by PKCE, the state and the nonce: all three are derived from the
  /// session's id, which only the client that began it holds.
  ///
  /// - Parameters:
  ///   - scope: The scopes that the client wants beside the provider's usual ones, with spaces
  ///     between.
  ///   - parameters: Further fields of the provider's address, such as `prompt` and `login_hint`; those of
  ///     the protocol stay as they are.
  ///   - app: The address of an app's own scheme, to which the page at `continueURI` leads on.
  package func begin(
    _ configuration: ProviderConfiguration,
    continueURI: String,
    scope: String?,
    parameters: [(name: String, value: String)] = [],
    leadingTo app: String? = nil,
    random: RandomBytes
  ) async throws -> (authURI: String, sessionID: String) {
    guard configuration.isEnabled, let clientID = configuration.clientID else {
      throw AccountError(.operationNotAllowed)
    }
    let endpoints = try await endpoints(of: configuration)
    guard let authorization = endpoints.authorization else {
      throw AccountError(.operationNotAllowed, "The provider has no authorization endpoint.")
    }
    let session = ProviderSession(startedAt: now, random).id
    let challenge = Base64.url(Array(SHA256.hash(data: Array(proof("pkce", session).utf8))))
    var fields = [
      ("client_id", clientID), ("response_type", "code"), ("redirect_uri", continueURI),
      ("scope", Self.union(endpoints.scopes, scope)),
      ("state", state(of: session, leadingTo: app)), ("nonce", ownNonce(of: session)),
      ("code_challenge", challenge), ("code_challenge_method", "S256"),
    ]
    if endpoints.postsForm { fields.append(("response_mode", "form_post")) }
    let further = parameters.filter { !ProviderSession.ownFields.contains($0.name) }
      .map { ($0.name, $0.value) }
    let separator = authorization.contains("?") ? "&" : "?"
    return (authorization + separator + PercentEncoding.form(fields + further), session)
  }

  /// The scopes of both lists, each once.
  private static func union(_ usual: String, _ asked: String?) -> String {
    var found: [Substring] = []
    for scope in usual.split(separator: " ") + (asked ?? "").split(separator: " ")
    where !found.contains(scope) {
      found.append(scope)
    }
    return found.joined(separator: " ")
  }

  /// Returns the nonce of a token that was requested in that session.
  private func nonce(of credential: ProviderCredential) throws -> String {
    guard let session = credential.sessionID, !session.isEmpty else {
      throw AccountError(.init(rawValue: "MISSING_SESSION_ID"))
    }
    guard let state = credential.state, isState(state, of: session) else {
      throw Self.invalid("The state belongs to another session.")
    }
    guard ProviderSession(id: session)?.isValid(at: now) == true else {
      throw Self.invalid("The sign-in took more than an hour. Start it again.")
    }
    return ownNonce(of: session)
  }

  private func redeem(
    _ code: String,
    _ credential: ProviderCredential,
    _ configuration: ProviderConfiguration,
    _ endpoints: ProviderEndpoints
  ) async throws -> ProviderCredential {
    guard let address = endpoints.token, let clientID = configuration.clientID,
      let session = credential.sessionID, let back = credential.requestURI
    else { throw Self.invalid("The provider's code cannot be redeemed.") }
    var form: [DocumentRequest.FormField] = [
      .init("grant_type", "authorization_code"), .init("code", code),
      .init("redirect_uri", back), .init("client_id", clientID),
      .init("code_verifier", proof("pkce", session)),
    ]
    if let secret = try configuration.secret(at: now) {
      form.append(.init("client_secret", secret))
    }
    let (answer, _) = try await json(address, DocumentRequest(url: address, form: form))
    // GitHub refuses a code with status 200.
    if let refusal = answer["error"]?.string {
      throw Self.invalid("The provider refused the code: \(refusal.prefix(80)).")
    }
    var redeemed = credential
    redeemed.idToken = answer["id_token"]?.string
    redeemed.accessToken = answer["access_token"]?.string
    return redeemed
  }

  /// A text that only this server derives from a session's id; purposes have no spaces.
  func proof(_ purpose: String, _ session: String) -> String {
    Base64.url(
      Array(
        HMAC<SHA256>.authenticationCode(for: Array("\(purpose) \(session)".utf8), using: secret)
      )
    )
  }
}
