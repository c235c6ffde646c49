/// The identity providers.
public enum AuthProviderID: Sendable, Hashable {
  /// Apple.
  case apple
  /// Email addresses.
  case email
  /// Facebook.
  case facebook
  /// Game Center.
  case gameCenter
  /// GitHub.
  case gitHub
  /// Google.
  case google
  /// Telephone numbers.
  case phone
  /// Another provider, such as `oidc.corporate`.
  case custom(String)

  /// The provider's id in requests.
  public var rawValue: String {
    switch self {
    case .apple: "apple.com"
    case .email: EmailAuthProvider.id
    case .facebook: FacebookAuthProvider.id
    case .gameCenter: "gc.apple.com"
    case .gitHub: GitHubAuthProvider.id
    case .google: GoogleAuthProvider.id
    case .phone: PhoneAuthProvider.id
    case .custom(let id): id
    }
  }
}
