import Foundation

/// Google.
public final class GoogleAuthProvider: NSObject, Sendable {
  /// The provider's id.
  public static let id = "google.com"

  /// The credential of Google's tokens.
  public static func credential(
    withIDToken idToken: String,
    accessToken: String
  ) -> AuthCredential {
    OAuthCredential(provider: id, idToken: idToken, accessToken: accessToken)
  }
}

/// Facebook.
public final class FacebookAuthProvider: NSObject, Sendable {
  /// The provider's id.
  public static let id = "facebook.com"

  /// The credential of Facebook's token.
  public static func credential(withAccessToken accessToken: String) -> AuthCredential {
    OAuthCredential(provider: id, accessToken: accessToken)
  }
}

/// GitHub.
public final class GitHubAuthProvider: NSObject, Sendable {
  /// The provider's id.
  public static let id = "github.com"

  /// The credential of GitHub's token.
  public static func credential(withToken token: String) -> AuthCredential {
    OAuthCredential(provider: id, accessToken: token)
  }
}

/// Twitter.
public final class TwitterAuthProvider: NSObject, Sendable {
  /// The provider's id.
  public static let id = "twitter.com"

  /// The credential of Twitter's token and its secret.
  public static func credential(withToken token: String, secret: String) -> AuthCredential {
    OAuthCredential(provider: id, accessToken: token, secret: secret)
  }
}
