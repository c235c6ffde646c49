import BaseJSON

/// The credential of an identity provider that a client presents.
package struct ProviderCredential: Sendable {
  /// The provider's id, such as `google.com` or `oidc.example`.
  package var providerID: String
  /// The provider's OpenID Connect token; nil where the client has none.
  package var idToken: String?
  /// The provider's OAuth access token; nil where the client has none.
  package var accessToken: String?
  /// An authorization code, with the session in which it was asked for.
  package var code: String?
  /// The `state` that the provider returned with the code; it must be the session's.
  package var state: String?
  /// The id of the `ProviderSession` that the client began; nil without a code.
  package var sessionID: String?
  /// The value whose digest, or which itself, the ID token must carry.
  package var nonce: String?
  /// The return address that the provider received.
  package var requestURI: String?
  /// The JSON text that Apple adds to a person's first sign-in, with the name.
  package var user: String?

  /// Nothing yet from that provider.
  package init(providerID: String) { self.providerID = providerID }
}

/// A person as a provider's verified answer describes him.
package struct ProviderProfile: Sendable {
  /// The verified identity, with the fields that users have.
  package private(set) var identity: ProviderIdentity
  /// The given name; nil where the provider does not tell it.
  package var firstName: String?
  /// The family name; nil where the provider does not tell it.
  package var lastName: String?
  /// The provider's response, as the text of a JSON object.
  package let rawUserInfo: String
  /// The provider's ID token, which clients get back.
  package var idToken: String?
  /// The provider's access token, which clients get back.
  package var accessToken: String?
}

extension ProviderProfile {
  /// The profile with the name in Apple's field `user`, `{"name":{"firstName":"…","lastName":"…"}}`.
  ///
  /// No provider signs the field: it changes nothing but a name that the token does not have.
  func named(by user: String?) -> ProviderProfile {
    guard identity.profile.displayName == nil, let user, user.utf8.count <= 2_048,
      let name = (try? JSONValue(parsing: user))?["name"]
    else { return self }
    var found = self
    found.firstName = Self.part(name["firstName"])
    found.lastName = Self.part(name["lastName"])
    let full = [found.firstName, found.lastName].compactMap(\.self).joined(separator: " ")
    if !full.isEmpty { found.identity.profile.displayName = full }
    return found
  }

  /// A part of a name without spaces around it; nil of a part that no screen should show.
  private static func part(_ json: JSONValue?) -> String? {
    guard let text = json?.string, text.utf8.count <= 256,
      text.unicodeScalars.allSatisfy({ $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) })
    else { return nil }
    let words = text.split(separator: " ").joined(separator: " ")
    return words.isEmpty ? nil : words
  }
}
