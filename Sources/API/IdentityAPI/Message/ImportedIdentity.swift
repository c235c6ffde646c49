import Authentication
import BaseText

/// Reads a provider's identity as imports and administrators give it.
enum ImportedIdentity {
  /// The identity: by providerId and rawId, or by a federatedId that says both.
  static func read(_ message: IdentityMessage) throws(IdentityFailure) -> LinkedProvider {
    let named = (message.text("providerId"), message.text("rawId"))
    let federated = message.text("federatedId").map(parse)
    guard let provider = named.0 ?? federated?.provider, let raw = named.1 ?? federated?.raw else {
      throw IdentityFailure.code(
        "INVALID_PROVIDER_ID",
        "federatedId or (providerId & rawId) is required"
      )
    }
    guard provider != "password", provider != "phone" else {
      throw IdentityFailure.code("INVALID_PROVIDER_ID")
    }
    return LinkedProvider(
      providerID: Text(provider),
      rawID: Text(raw),
      email: message.text("email"),
      displayName: message.text("displayName"),
      photoURL: message.text("photoUrl"),
      screenName: message.text("screenName")
    )
  }

  /// The parts of a federated id: `https://accounts.google.com/123` is 123 of google.com; any other
  /// text is the person's ID at a provider that it does not name.
  private static func parse(_ text: String) -> (provider: String?, raw: String?) {
    guard let host = WebAddress(text)?.host else { return (nil, text) }
    let path = text.split(separator: "/", omittingEmptySubsequences: true).dropFirst(2)
    guard let raw = path.last else { return (nil, nil) }
    let site = host.hasPrefix("www.") ? String(host.dropFirst(4)) : host
    return (providers[site] ?? (known.contains(site) ? site : nil), String(raw))
  }

  /// Hosts of federated ids that are not the provider's id.
  private static let providers = [
    "accounts.google.com": "google.com", "appleid.apple.com": "apple.com",
    "login.microsoftonline.com": "microsoft.com", "me.yahoo.com": "yahoo.com",
    "x.com": "twitter.com",
  ]

  /// Providers whose id is the host of their federated ids.
  private static let known: Set<String> = [
    "google.com", "apple.com", "facebook.com", "github.com", "linkedin.com", "microsoft.com",
    "twitter.com", "yahoo.com",
  ]
}
