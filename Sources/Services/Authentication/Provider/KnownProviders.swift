import BaseJSON

/// The addresses and rules of a provider's sign-in.
struct ProviderEndpoints: Sendable, Hashable {
  /// The source of a person's profile.
  enum Profile: Sendable, Hashable {
    /// A signed ID token.
    case idToken
    /// GitHub's `/user` and `/user/emails`.
    case gitHub
    /// The graph's `/me`.
    case facebook
  }

  /// The issuers of ID tokens; a token must have exactly one of them.
  var issuers: Set<String>
  var keys: String?
  var authorization: String?
  var token: String?
  /// True if the nonce in a token is the SHA-256 digest of the client's.
  var hashesNonce = false
  /// The scopes that every sign-in asks for, with spaces between.
  var scopes = "openid email profile"
  /// True if the provider posts its response as a form, which Apple demands of sign-ins with scopes.
  var postsForm = false
  var profile = Profile.idToken
  /// True if each tenant is an issuer of its own, as at Microsoft.
  var hasTenantIssuers = false
  /// True if the provider's word on an address is believed.
  ///
  /// A tenant of Microsoft writes what it likes into its tokens.
  var verifiesEmail = true

  /// Returns true if tokens of that issuer are the provider's.
  func accepts(issuer: String, _ claims: JSONValue) -> Bool {
    if issuers.contains(issuer) { return true }
    guard hasTenantIssuers, let tenant = claims["tid"]?.string,
      MicrosoftTenant.isIdentifier(tenant)
    else { return false }
    return issuer == MicrosoftTenant.issuer(tenant)
  }
}

/// A provider that Firebase knows by name and that this server signs people in with.
///
/// The addresses are fixed: no configuration of a project changes them.
package enum KnownProvider: String, Sendable, CaseIterable {
  case google = "google.com"
  case apple = "apple.com"
  case gitHub = "github.com"
  case microsoft = "microsoft.com"
  case facebook = "facebook.com"

  /// - Parameter tenant: The tenant of Microsoft whose people sign in.
  func endpoints(tenant: String?) -> ProviderEndpoints {
    switch self {
    case .google:
      ProviderEndpoints(
        issuers: ["https://accounts.google.com", "accounts.google.com"],
        keys: "https://www.googleapis.com/oauth2/v3/certs",
        authorization: "https://accounts.google.com/o/oauth2/v2/auth",
        token: "https://oauth2.googleapis.com/token"
      )
    case .apple:
      ProviderEndpoints(
        issuers: ["https://appleid.apple.com"],
        keys: "https://appleid.apple.com/auth/keys",
        authorization: "https://appleid.apple.com/auth/authorize",
        token: "https://appleid.apple.com/auth/token",
        hashesNonce: true,
        scopes: "name email",
        postsForm: true
      )
    case .gitHub:
      ProviderEndpoints(
        issuers: [],
        authorization: "https://github.com/login/oauth/authorize",
        token: "https://github.com/login/oauth/access_token",
        scopes: "user:email",
        profile: .gitHub
      )
    case .microsoft: MicrosoftTenant.endpoints(tenant ?? "common")
    case .facebook:
      ProviderEndpoints(
        issuers: [],
        authorization: "https://www.facebook.com/v21.0/dialog/oauth",
        token: "\(FacebookGraph.address)/oauth/access_token",
        scopes: "email public_profile",
        profile: .facebook
      )
    }
  }

  /// The reason why a provider can't be set up.
  package static func refusal(of id: String) -> String {
    let names = allCases.map(\.rawValue).joined(separator: ", ")
    let reason =
      id == "twitter.com"
      ? "Twitter uses OAuth 1.0a, which this server does not support."
      : "The provider \(id) is not supported by this server."
    return "\(reason) Use \(names), or an OpenID provider as oidc.NAME."
  }
}

/// The tenants of Microsoft's accounts.
enum MicrosoftTenant {
  private static let host = "https://login.microsoftonline.com"
  /// The tenant of personal accounts.
  private static let consumers = "9188040d-6c67-4c5b-b112-36a304b66dad"

  static func issuer(_ tenant: String) -> String { "\(host)/\(tenant)/v2.0" }

  /// Returns true for the id of one tenant: a UUID in small letters.
  static func isIdentifier(_ text: String) -> Bool {
    let parts = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
    return parts.map(\.count) == [8, 4, 4, 4, 12]
      && parts.joined().allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
  }

  /// Returns true for a tenant whose tokens' issuer is known: an id, or a name for several tenants.
  static func isSupported(_ text: String) -> Bool {
    ["common", "organizations", "consumers"].contains(text) || isIdentifier(text)
  }

  static func endpoints(_ tenant: String) -> ProviderEndpoints {
    let issuers: Set<String> =
      switch tenant {
      case "common", "organizations": []
      case "consumers": [issuer(consumers)]
      default: [issuer(tenant)]
      }
    return ProviderEndpoints(
      issuers: issuers,
      keys: "\(host)/\(tenant)/discovery/v2.0/keys",
      authorization: "\(host)/\(tenant)/oauth2/v2.0/authorize",
      token: "\(host)/\(tenant)/oauth2/v2.0/token",
      hasTenantIssuers: issuers.isEmpty,
      verifiesEmail: false
    )
  }
}
