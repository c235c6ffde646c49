import BaseJSON
import BaseText
import Crypto
import CryptoExtras
import Foundation
import Synchronization

@testable import Authentication

/// The known providers as their documentation has them: what a client sends wrong is refused.
///
/// A person consents at an authorization address and gets a code, which counts once, for the client, redirect address
/// and PKCE proof that it was asked with.
final class KnownProviderStandIn: DocumentFetcher {
  /// A client that is registered at a provider.
  struct Client: Sendable {
    var id = "client-7"
    var secret = "secret-of-client-7"
    var redirect = "https://db.example.com/__/auth/handler"
  }

  private struct Grant {
    let challenge: String
    let nonce: String?
    let redirect: String
  }

  private struct State {
    var grants: [String: Grant] = [:]
    var count = 0
    var refusals: [String] = []
    var asked: [String] = []
  }

  let client = Client()
  let provider: KnownProvider
  /// Apple's side of the project's key.
  let appleKey = P256.Signing.PrivateKey()
  static let teamID = "A1B2C3D4E5"
  static let keyID = "K1L2M3N4P5"
  static let tenant = "11111111-2222-3333-4444-555555555555"

  private let clock: ManualClock
  private let state = Mutex(State())

  /// Claims that replace those of ID tokens.
  private let changes: [String: JSONValue]

  init(_ provider: KnownProvider, _ clock: ManualClock, _ changes: [String: JSONValue] = [:]) {
    self.provider = provider
    self.clock = clock
    self.changes = changes
  }

  /// The reasons for which requests were refused.
  var refusals: [String] { state.withLock { $0.refusals } }
  /// The addresses that were asked.
  var asked: [String] { state.withLock { $0.asked } }

  /// A person consents at the address: the code and state that the browser brings back; nil for a wrong request.
  func consent(_ address: String) -> (code: String, state: String)? {
    guard let parts = URLComponents(string: address), let items = parts.queryItems else {
      return nil
    }
    let fields = Dictionary(items.map { ($0.name, $0.value ?? "") }) { first, _ in first }
    guard fields["client_id"] == client.id, fields["redirect_uri"] == client.redirect,
      fields["response_type"] == "code", fields["code_challenge_method"] == "S256",
      let challenge = fields["code_challenge"], let token = fields["state"],
      provider != .apple || fields["response_mode"] == "form_post"
    else { return nil }
    return state.withLock { state in
      state.count += 1
      let code = "code-\(state.count)"
      let grant = Grant(challenge: challenge, nonce: fields["nonce"], redirect: client.redirect)
      state.grants[code] = grant
      return (code, token)
    }
  }

  func fetch(_ request: DocumentRequest) async throws -> FetchedDocument {
    state.withLock { $0.asked.append(request.url) }
    let path = request.url.prefix { $0 != "?" }
    switch (provider, path) {
    case (.google, "https://www.googleapis.com/oauth2/v3/certs"),
      (.apple, "https://appleid.apple.com/auth/keys"),
      (.microsoft, "https://login.microsoftonline.com/common/discovery/v2.0/keys"):
      return answer(try Self.keys())
    case (.google, "https://oauth2.googleapis.com/token"),
      (.apple, "https://appleid.apple.com/auth/token"),
      (.gitHub, "https://github.com/login/oauth/access_token"),
      (.microsoft, "https://login.microsoftonline.com/common/oauth2/v2.0/token"),
      (.facebook, "https://graph.facebook.com/v21.0/oauth/access_token"):
      return try redeem(request)
    case (.gitHub, "https://api.github.com/user"),
      (.gitHub, "https://api.github.com/user/emails"):
      guard request.authorization == "Bearer token-of-ana" else { return refuse("authorization") }
      return path.hasSuffix("emails")
        ? answer(
          #"[{"email":"old@x.example","primary":false,"verified":true},"#
            + #"{"email":"ana@x.example","primary":true,"verified":true}]"#
        ) : answer(#"{"id":42,"login":"ana","name":"Ana","avatar_url":"https://x.example/a.png"}"#)
    case (.facebook, "https://graph.facebook.com/v21.0/me"): return graph(request)
    default: return refuse("address \(path)", status: 404)
    }
  }

  private static func keys() throws -> String {
    let primitives = try ScriptedWeb.key.publicKey.getKeyPrimitives()
    let (modulus, exponent) = (
      Base64.url(primitives.modulus), Base64.url(primitives.publicExponent)
    )
    return #"{"keys":[{"kty":"RSA","kid":"k1","n":"\#(modulus)","e":"\#(exponent)"}]}"#
  }

  private func graph(_ request: DocumentRequest) -> FetchedDocument {
    let proof = HMAC<SHA256>.authenticationCode(
      for: Data("token-of-ana".utf8),
      using: SymmetricKey(data: Data(client.secret.utf8))
    )
    let fields = URLComponents(string: request.url)?.queryItems ?? []
    let given = fields.first { $0.name == "appsecret_proof" }?.value
    guard given == proof.map({ String(format: "%02x", $0) }).joined() else {
      return refuse("appsecret_proof", status: 400)
    }
    guard request.authorization == "Bearer token-of-ana" else { return refuse("authorization") }
    return answer(#"{"id":"77","name":"Ana","first_name":"Ana","email":"ana@x.example"}"#)
  }

  private func redeem(_ request: DocumentRequest) throws -> FetchedDocument {
    let form = Dictionary((request.form ?? []).map { ($0.name, $0.value) }) { first, _ in first }
    guard form["grant_type"] == "authorization_code", form["client_id"] == client.id else {
      return refuse("client", status: 401)
    }
    guard isSecret(form["client_secret"] ?? "") else { return refuse("secret", status: 401) }
    let grant = state.withLock { $0.grants.removeValue(forKey: form["code"] ?? "") }
    guard let grant else { return refuseCode() }
    let digest = SHA256.hash(data: Data((form["code_verifier"] ?? "").utf8))
    guard Base64.url(Array(digest)) == grant.challenge else { return refuse("PKCE", status: 400) }
    guard form["redirect_uri"] == grant.redirect else { return refuse("redirect", status: 400) }
    guard provider != .gitHub, provider != .facebook else {
      return answer(#"{"access_token":"token-of-ana","token_type":"bearer"}"#)
    }
    return answer(#"{"access_token":"token-of-ana","id_token":"\#(try idToken(grant))"}"#)
  }

  private func isSecret(_ text: String) -> Bool {
    guard provider == .apple else { return text == client.secret }
    guard let token = try? JSONWebToken(parsing: text), token.algorithm == "ES256",
      token.keyID == Self.keyID, token.claims["iss"]?.string == Self.teamID,
      token.claims["sub"]?.string == client.id,
      token.claims["aud"]?.string == "https://appleid.apple.com",
      let end = token.claims["exp"]?.integer, end > clock.seconds,
      end <= clock.seconds + 15_777_000,
      let signature = try? P256.Signing.ECDSASignature(rawRepresentation: token.signature)
    else { return false }
    return appleKey.publicKey.isValidSignature(signature, for: token.signed)
  }

  private func idToken(_ grant: Grant) throws -> String {
    let issuer =
      switch provider {
      case .apple: "https://appleid.apple.com"
      case .microsoft: "https://login.microsoftonline.com/\(Self.tenant)/v2.0"
      default: "https://accounts.google.com"
      }
    var claims: [String: JSONValue] = [
      "iss": .string(issuer), "aud": .string(client.id), "sub": .string("ana-1"),
      "iat": .integer(clock.seconds), "exp": .integer(clock.seconds + 300),
      "email": .string("ana@x.example"), "tid": .string(Self.tenant),
    ]
    claims["nonce"] = grant.nonce.map(JSONValue.string)
    claims.merge(changes) { $1 }
    return try JSONWebToken.signed(
      header: [.init("alg", .string("RS256")), .init("kid", .string("k1"))],
      claims: claims.sorted { $0.key < $1.key }.map { .init($0.key, $0.value) },
      key: ScriptedWeb.key
    )
  }

  private func answer(_ text: String) -> FetchedDocument {
    FetchedDocument(status: 200, body: Array(text.utf8))
  }

  private func refuse(_ reason: String, status: Int = 403) -> FetchedDocument {
    state.withLock { $0.refusals.append(reason) }
    return FetchedDocument(status: status, body: Array(#"{"error":"refused"}"#.utf8))
  }

  /// GitHub refuses a code with status 200.
  private func refuseCode() -> FetchedDocument {
    guard provider == .gitHub else { return refuse("code", status: 400) }
    state.withLock { $0.refusals.append("code") }
    return answer(#"{"error":"bad_verification_code"}"#)
  }
}
