/// What is fixed of a provider: who may issue its tokens and where its keys are.
struct ProviderEndpoints: Sendable, Hashable {
  /// The issuers of ID tokens; a token must have exactly one of them.
  var issuers: Set<String>
  var keys: String?
  var authorization: String?
  var token: String?
  /// Whether the nonce in a token is the SHA-256 digest of the client's.
  var hashesNonce = false

  /// Google.
  static let google = ProviderEndpoints(
    issuers: ["https://accounts.google.com", "accounts.google.com"],
    keys: "https://www.googleapis.com/oauth2/v3/certs",
    authorization: "https://accounts.google.com/o/oauth2/v2/auth",
    token: "https://oauth2.googleapis.com/token"
  )

  /// Apple.
  static let apple = ProviderEndpoints(
    issuers: ["https://appleid.apple.com"],
    keys: "https://appleid.apple.com/auth/keys",
    authorization: "https://appleid.apple.com/auth/authorize",
    token: "https://appleid.apple.com/auth/token",
    hashesNonce: true
  )

  /// GitHub, which has no ID tokens.
  static let github = ProviderEndpoints(
    issuers: [],
    authorization: "https://github.com/login/oauth/authorize",
    token: "https://github.com/login/oauth/access_token"
  )
}
