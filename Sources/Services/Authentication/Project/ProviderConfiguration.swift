/// The settings of an identity provider in a project.
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

  /// The kind of provider, which decides the resource that it is listed under.
  package let kind: Kind
  /// `google.com`, `oidc.example`, `saml.example`.
  package let id: String
  /// The name that an administrator gave the provider; nil without one.
  package var displayName: String?
  /// True to let users sign in with the provider.
  package var isEnabled = false
  /// The id of the project's client at the provider; nil until it is set.
  package var clientID: String?
  /// Never shown again.
  package var clientSecret: String?
  /// The issuer of tokens, pinned; an `https` address.
  package var issuer: String?
  /// Further audiences, such as an app's bundle id.
  package var audiences: [String] = []
  /// The `responseType.idToken` of an OIDC resource, stored for clients; sign-ins do not consult it.
  package var acceptsIDToken = false
  /// The `responseType.code` of an OIDC resource, stored for clients; sign-ins do not consult it.
  package var acceptsCode = false
  /// The settings of a SAML provider; nil for other kinds.
  package var saml: SAML?
  /// The key for Apple's client secrets; nil for other providers, and where only apps sign in.
  package var apple: AppleKey?
  /// The tenant whose people sign in with Microsoft; nil is `common`, which is everybody.
  package var tenant: String?

  /// The settings of a SAML provider.
  package struct SAML: Sendable, Hashable, Codable {
    /// The identity provider's entity id, `idpEntityId`.
    package var entityID = ""
    /// The address where the provider signs people in, `ssoUrl`.
    package var signInURL = ""
    /// The provider's X.509 certificates, as they were set.
    package var certificates: [String] = []
    /// The resource's `signRequest`.
    package var signsRequests = false
    /// The entity id of the project as a service provider, `spEntityId`.
    package var partyEntityID = ""
    /// The address that the provider leads back to, `callbackUri`.
    package var callbackURL = ""

    /// Nothing yet.
    package init() {}
  }

  /// The reason why a provider of SAML can't be set up or sign anybody in.
  package static let noSAML =
    "Sign-in by SAML is not supported by this server. Set up the provider with OpenID Connect, as oidc.NAME."

  /// A provider that is not enabled yet.
  package init(kind: Kind, id: String) {
    self.kind = kind
    self.id = id
  }
}
