/// How a project uses an identity provider.
package struct ProviderConfiguration: Sendable, Hashable, Codable {
  /// The kinds of provider, each with resources of its own.
  package enum Kind: String, Sendable, Codable, CaseIterable {
    /// `google.com` and others that Firebase knows.
    case known
    /// `oidc.…`
    case oidc
    /// `saml.…`: refused; earlier versions stored them, and they can be listed and deleted.
    case saml
  }

  package let kind: Kind
  /// `google.com`, `oidc.example`, `saml.example`.
  package let id: String
  package var displayName: String?
  package var isEnabled = false
  package var clientID: String?
  /// Never shown again.
  package var clientSecret: String?
  /// The issuer of tokens, pinned; an `https` address.
  package var issuer: String?
  /// Further audiences, such as an app's bundle id.
  package var audiences: [String] = []
  package var acceptsIDToken = false
  package var acceptsCode = false
  package var saml: SAML?
  /// The key for Apple's client secrets; nil for other providers, and where only apps sign in.
  package var apple: AppleKey?
  /// The tenant whose people sign in with Microsoft; nil is `common`, which is everybody.
  package var tenant: String?

  /// What is kept of a SAML provider.
  package struct SAML: Sendable, Hashable, Codable {
    package var entityID = ""
    package var signInURL = ""
    package var certificates: [String] = []
    package var signsRequests = false
    package var partyEntityID = ""
    package var callbackURL = ""

    /// Nothing yet.
    package init() {}
  }

  /// The reason why a provider of SAML can't be set up or sign anybody in.
  package static let noSAML =
    "Sign-in by SAML is not supported by this server. Set the provider up as oidc.NAME, by OpenID Connect."

  /// A provider that is not enabled yet.
  package init(kind: Kind, id: String) {
    self.kind = kind
    self.id = id
  }
}
