/// What a client brings from an identity provider.
package struct ProviderCredential: Sendable {
  package var providerID: String
  package var idToken: String?
  package var accessToken: String?
  /// An authorization code, with the session in which it was asked for.
  package var code: String?
  package var state: String?
  package var sessionID: String?
  /// The value whose digest, or which itself, the ID token must carry.
  package var nonce: String?
  /// Where the provider was told to lead back to.
  package var requestURI: String?

  /// Nothing yet from that provider.
  package init(providerID: String) { self.providerID = providerID }
}

/// A person as a provider's verified answer describes him.
package struct ProviderProfile: Sendable {
  package let identity: ProviderIdentity
  package var firstName: String?
  package var lastName: String?
  /// What the provider said, as the text of a JSON object.
  package let rawUserInfo: String
  package var idToken: String?
  package var accessToken: String?
}
