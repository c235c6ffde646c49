import BaseText
import Crypto
import CryptoExtras

// Signatures of service accounts: their own bearer tokens for one API, and assertions that they
// exchange for our access tokens.
//
// An access token of ours is a JWT of one of our signing keys: typ at+jwt, iss and aud constant,
// sub the account's email, `key` the ID of the requesting key, iat, exp. It ends with that key.

extension Accounts {
  /// The lifetime of an access token, in seconds.
  package static let accessTokenLifetime: Int64 = 3_600

  static let accessIssuer = "urn:brasa:access"

  /// Exchanges an assertion (`urn:ietf:params:oauth:grant-type:jwt-bearer`) for an access token.
  ///
  /// Throws `JSONWebToken.Problem` where the assertion is not good: `invalid_grant`.
  package func exchange(assertion: String) throws -> (token: String, expiresIn: Int64) {
    let token = try JSONWebToken(parsing: assertion)
    guard let audience = token.claims["aud"]?.string, tokenAudiences.contains(audience) else {
      throw JSONWebToken.Problem.audience
    }
    let account = try signer(of: token)
    try checkLifetime(token)
    let issued = now / 1_000_000
    let key = try signingKeys.signer()
    let text = try JSONWebToken.signed(
      header: [
        .init("alg", .string("RS256")), .init("kid", .string(key.id)),
        .init("typ", .string("at+jwt")),
      ],
      claims: [
        .init("iss", .string(Self.accessIssuer)), .init("aud", .string(Self.accessIssuer)),
        .init("sub", .string(account.email)), .init("key", .string(account.keyID)),
        .init("iat", .integer(issued)), .init("exp", .integer(issued + Self.accessTokenLifetime)),
      ],
      key: key.privateKey
    )
    return (text, Self.accessTokenLifetime)
  }

  /// The account that signed a token as its own issuer and subject.
  ///
  /// - Parameter byHeldKey: True to accept a key that the server holds: for custom tokens alone, or
  ///   anyone who may sign bytes would have the account's credentials.
  func signer(
    of token: JSONWebToken,
    byHeldKey: Bool = false
  ) throws(JSONWebToken.Problem) -> ServiceAccount {
    guard token.algorithm == "RS256" else { throw .algorithm }
    guard let issuer = token.claims["iss"]?.string else { throw .issuer }
    let subject = token.claims["sub"]
    guard subject == nil || subject?.string == issuer else { throw .subject }
    let named = token.keyID.map { id in [serviceAccounts.key(id)].compactMap(\.self) }
    let candidates = (named ?? serviceAccounts.keys(of: issuer)).filter {
      Text($0.email) == Text(issuer) && (byHeldKey || !$0.isHeld)
    }
    guard !candidates.isEmpty else { throw .unknownKey }
    for account in candidates.prefix(10) {
      do {
        try token.check(account.publicKey)
        return account
      } catch { continue }
    }
    throw .signature
  }

  /// Times of what a service account signs: an hour at most.
  func checkLifetime(_ token: JSONWebToken) throws(JSONWebToken.Problem) {
    try token.checkTimes(at: now / 1_000_000, leeway: 300)
    guard let expiry = try token.time("exp"), let issued = try token.time("iat"),
      expiry - issued <= 3_660
    else { throw .expired }
  }

  /// The audiences of an assertion: those that Google's libraries name, and our own address.
  private var tokenAudiences: Set<String> {
    [
      "https://oauth2.googleapis.com/token", "https://accounts.google.com/o/oauth2/token",
      "https://www.googleapis.com/oauth2/v4/token", "https://www.googleapis.com/oauth2/v3/token",
      origin + "/token", origin + "/oauth2/v4/token", origin + "/oauth2/v3/token",
    ]
  }
}

extension Accounts {
  /// The ID of the key that signed a message (RSASSA-PKCS1-v1_5 with SHA-256), among the valid keys
  /// of the service account of that email; nil if none did.
  package func keyID(
    of message: [UInt8],
    _ signature: [UInt8],
    by account: String
  ) -> String? {
    let digest = SHA256.hash(data: message)
    let signature = _RSA.Signing.RSASignature(rawRepresentation: signature)
    let key = serviceAccounts.keys(of: account).prefix(10).first { account in
      account.publicKey.isValidSignature(signature, for: digest, padding: .insecurePKCS1v1_5)
    }
    return key?.keyID
  }
}
