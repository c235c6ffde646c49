import Crypto
import CryptoExtras
import Foundation
import Hummingbird
import HummingbirdTLS
import ServiceHost
import ServiceLifecycle
import Synchronization

/// A small OpenID provider for trying: it takes everybody's word for who they are.
///
///     GET  /.well-known/openid-configuration  where everything is
///     GET  /keys                              the public key
///     GET  /authorize                         asks for name and email
///     POST /authorize                         leads back to the app with a code
///     POST /token                             gives the ID token for a code and its PKCE proof
///
/// Servers ask providers over TLS only. People's browsers do not know the authority of its certificate, so the page
/// that asks them is in plain text beside it.
package final class ProductsProvider: Sendable {
  /// A person at the provider.
  package struct Person: Codable, Sendable {
    package var name: String
    package var email: String

    package init(name: String, email: String) {
      (self.name, self.email) = (name, email)
    }
  }

  /// A code that waits to be redeemed, once.
  private struct Grant {
    let person: Person
    let client: String
    let redirectURI: String
    let nonce: String?
    let challenge: String
  }

  /// The addresses on which the two parts listen.
  private struct Addresses {
    var issuer = ""
    var page = ""
  }

  private let key: _RSA.Signing.PrivateKey
  private let now: @Sendable () -> Date
  /// The hosts that codes may go to.
  private let appHosts: Set<String>
  private let grants = Mutex<[String: Grant]>([:])
  private let addresses = Mutex(Addresses())
  private static let keyID = "1"
  private static let largestNumberOfGrants = 1_000

  /// - Parameter appHosts: The hosts of apps beside this machine's loopback, which codes may go to.
  package init(
    appHosts: [String] = [],
    now: @escaping @Sendable () -> Date = { Date() }
  ) throws {
    self.appHosts = Set(appHosts + ["127.0.0.1", "localhost"])
    key = try _RSA.Signing.PrivateKey(keySize: .bits2048)
    self.now = now
  }

  /// Returns the routes that servers call, to be served over TLS.
  package func backRouter() -> Router<BasicRequestContext> {
    let router = Router()
    router.add(middleware: ErrorMiddleware())
    router.get(".well-known/openid-configuration") { [self] _, _ in try configuration() }
    router.get("keys") { [self] _, _ in try keys() }
    router.post("token") { [self] request, _ in try await redeem(request) }
    return router
  }

  /// Returns the routes of the pages that people see.
  package func pageRouter() -> Router<BasicRequestContext> {
    let router = Router()
    router.add(middleware: ErrorMiddleware())
    router.get("authorize") { [self] request, _ in try ask(request) }
    router.post("authorize") { [self] request, _ in try await grant(request) }
    return router
  }

  /// Tells where the two parts listen, before anything is asked of them.
  package func listens(issuer: String, page: String) {
    addresses.withLock { $0 = Addresses(issuer: issuer, page: page) }
  }

  package var issuer: String { addresses.withLock { $0.issuer } }

  // MARK: What servers call

  private struct Configuration: Encodable {
    let issuer: String
    let authorization_endpoint: String
    let token_endpoint: String
    let jwks_uri: String
    let response_types_supported = ["code"]
    let subject_types_supported = ["public"]
    let id_token_signing_alg_values_supported = ["RS256"]
    let code_challenge_methods_supported = ["S256"]
  }

  private func configuration() throws -> Response {
    let addresses = addresses.withLock { $0 }
    return try .json(
      Configuration(
        issuer: addresses.issuer,
        authorization_endpoint: "\(addresses.page)/authorize",
        token_endpoint: "\(addresses.issuer)/token",
        jwks_uri: "\(addresses.issuer)/keys"
      )
    )
  }

  private struct Key: Encodable {
    let kty = "RSA"
    let use = "sig"
    let alg = "RS256"
    let kid: String
    let n: String
    let e: String
  }

  private func keys() throws -> Response {
    let parts = try key.publicKey.getKeyPrimitives()
    let key = Key(
      kid: Self.keyID,
      n: Self.base64(parts.modulus),
      e: Self.base64(parts.publicExponent)
    )
    return try .json(["keys": [key]])
  }

  private struct Tokens: Encodable {
    let access_token: String
    let token_type = "Bearer"
    let expires_in = 3_600
    let id_token: String
  }

  private func redeem(_ request: Request) async throws -> Response {
    let form = try await request.form()
    let proof = Self.base64(Data(SHA256.hash(data: Data((form["code_verifier"] ?? "").utf8))))
    let grant = form["code"].flatMap { code in grants.withLock { $0.removeValue(forKey: code) } }
    guard let grant, grant.client == form["client_id"], grant.challenge == proof,
      grant.redirectURI == form["redirect_uri"]
    else { return try .json(["error": "invalid_grant"], status: .badRequest) }
    return try .json(Tokens(access_token: Secret.token(), id_token: try idToken(grant)))
  }

  private struct Claims: Encodable {
    let iss: String
    let aud: String
    let sub: String
    let iat: Int
    let exp: Int
    let nonce: String?
    let name: String
    let email: String
    let email_verified = true
  }

  private func idToken(_ grant: Grant) throws -> String {
    let time = Int(now().timeIntervalSince1970)
    let claims = Claims(
      iss: issuer,
      aud: grant.client,
      sub: Secret.digest(grant.person.email.lowercased()),
      iat: time,
      exp: time + 3_600,
      nonce: grant.nonce,
      name: grant.person.name,
      email: grant.person.email
    )
    let header = try JSONEncoder().encode(["alg": "RS256", "typ": "JWT", "kid": Self.keyID])
    let text = "\(Self.base64(header)).\(Self.base64(try JSONEncoder().encode(claims)))"
    let signature = try key.signature(for: Data(text.utf8), padding: .insecurePKCS1v1_5)
    return "\(text).\(Self.base64(signature.rawRepresentation))"
  }

  private static func base64(_ data: Data) -> String {
    data.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
      .replacing("=", with: "")
  }

  // MARK: What people see

  private func ask(_ request: Request) throws -> Response {
    let query = request.uri.queryParameters
    let names = ["client_id", "redirect_uri", "state", "nonce", "code_challenge"]
    let fields = names.map { name in
      (name, query.get(name) ?? "")
    }
    try check(Dictionary(uniqueKeysWithValues: fields))
    var response = Response.text(
      ProviderPage.html(hidden: fields),
      type: "text/html; charset=utf-8"
    )
    response.headers[.cacheControl] = "no-store"
    return response
  }

  private func grant(_ request: Request) async throws -> Response {
    let form = try await request.form()
    try check(form)
    let state = form["state"] ?? ""
    guard form["answer"] != "no" else {
      return .redirect(to: try Self.back(form, [("error", "access_denied"), ("state", state)]))
    }
    guard let email = form["email"], email.contains("@"), let name = form["name"], !name.isEmpty
    else {
      throw ServiceError(.badRequest, "Name and email are needed")
    }
    let code = Secret.token()
    let grant = Grant(
      person: Person(name: name, email: email),
      client: form["client_id"] ?? "",
      redirectURI: form["redirect_uri"] ?? "",
      nonce: form["nonce"].flatMap { $0.isEmpty ? nil : $0 },
      challenge: form["code_challenge"] ?? ""
    )
    grants.withLock { grants in
      if grants.count >= Self.largestNumberOfGrants { grants = [:] }
      grants[code] = grant
    }
    return .redirect(to: try Self.back(form, [("code", code), ("state", state)]))
  }

  /// Codes go to apps on known hosts only, and only with a PKCE challenge.
  private func check(_ fields: [String: String]) throws {
    guard let uri = fields["redirect_uri"].flatMap({ URL(string: $0) }), uri.scheme == "http",
      appHosts.contains(uri.host() ?? "")
    else { throw ServiceError(.badRequest, "The address to lead back to is not of a known app") }
    guard fields["code_challenge"]?.isEmpty == false, fields["client_id"]?.isEmpty == false else {
      throw ServiceError(.badRequest, "The request has no client or no code challenge")
    }
  }

  private static func back(
    _ fields: [String: String],
    _ answer: [(String, String)]
  ) throws -> String {
    guard var parts = URLComponents(string: fields["redirect_uri"] ?? "") else {
      throw ServiceError(.badRequest, "The address to lead back to is malformed")
    }
    parts.queryItems = (parts.queryItems ?? []) + answer.map { URLQueryItem(name: $0, value: $1) }
    return parts.string ?? ""
  }
}
