import BaseJSON
import BaseText
import Crypto

/// The key by which a project signs its client secrets for Apple.
package struct AppleKey: Sendable, Hashable, Codable {
  /// The id of the developer's team at Apple, 10 capital letters and digits.
  package var teamID: String
  /// The id of the key at Apple, 10 capital letters and digits.
  package var keyID: String
  /// The text of the `.p8` file, never shown again.
  package var privateKey: String

  /// A key that is not complete yet.
  package init(teamID: String = "", keyID: String = "", privateKey: String = "") {
    self.teamID = teamID
    self.keyID = keyID
    self.privateKey = privateKey
  }

  /// Refuses ids and a key that Apple does not issue.
  func check() throws(AccountError) {
    guard Self.isIdentifier(teamID), Self.isIdentifier(keyID) else {
      throw AccountError(
        .invalidConfiguration,
        "Apple's team ID and key ID must have 10 capital letters and digits."
      )
    }
    _ = try signingKey()
  }

  /// Returns true for an id as Apple gives them to teams and keys.
  static func isIdentifier(_ text: String) -> Bool {
    text.utf8.count == 10
      && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) }
  }

  private func signingKey() throws(AccountError) -> P256.Signing.PrivateKey {
    guard privateKey.utf8.count <= 2_048,
      let key = try? P256.Signing.PrivateKey(pemRepresentation: privateKey)
    else {
      throw AccountError(
        .invalidConfiguration,
        "Apple's private key must be the content of the .p8 file."
      )
    }
    return key
  }

  /// The client secret: an ES256 token that is valid for five minutes.
  func clientSecret(of clientID: String, at now: Int64) throws(AccountError) -> String {
    let header = JSONValue.object([
      .init("alg", .string("ES256")), .init("kid", .string(keyID)), .init("typ", .string("JWT")),
    ])
    let claims = JSONValue.object([
      .init("iss", .string(teamID)), .init("iat", .integer(now)), .init("exp", .integer(now + 300)),
      .init("aud", .string("https://appleid.apple.com")), .init("sub", .string(clientID)),
    ])
    let signed = [header, claims].map { Base64.url(Array($0.compact.utf8)) }.joined(separator: ".")
    let key = try signingKey()
    guard let signature = try? key.signature(for: Array(signed.utf8)) else {
      throw AccountError(.invalidConfiguration, "Apple's private key can't sign.")
    }
    return "\(signed).\(Base64.url(Array(signature.rawRepresentation)))"
  }
}

extension ProviderConfiguration {
  /// The client secret of a request for tokens; nil for a provider without one.
  func secret(at now: Int64) throws(AccountError) -> String? {
    guard let apple, id == KnownProvider.apple.rawValue, let clientID else { return clientSecret }
    return try apple.clientSecret(of: clientID, at: now)
  }
}
