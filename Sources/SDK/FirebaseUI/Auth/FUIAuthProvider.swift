import Foundation

/// An identity provider on the screen of sign-in.
public protocol FUIAuthProvider: AnyObject, Sendable {
  /// The provider's id at the server, such as `google.com`.
  var providerID: String? { get }
  /// The provider's name.
  var shortName: String { get }
  /// The label of its button.
  var signInLabel: String { get }
  /// The scopes to ask the provider for; nil leaves them to the server.
  var scopes: [String]? { get }
}

/// Sign-in with Google.
public final class FUIGoogleAuth: NSObject, FUIAuthProvider, Sendable {
  /// The scopes to ask Google for; nil leaves them to the server.
  public let scopes: [String]?
  /// Google's name.
  public let shortName = "Google"

  /// Google, asked for name and email address.
  public override convenience init() { self.init(scopes: nil) }

  /// Google, asked for name and email address.
  public convenience init(authUI: FUIAuth) { self.init(scopes: nil) }

  /// Google, asked for these.
  public convenience init(authUI: FUIAuth, scopes: [String]) { self.init(scopes: scopes) }

  private init(scopes: [String]?) { self.scopes = scopes }

  /// `google.com`.
  public var providerID: String? { "google.com" }
  /// The button's text.
  public var signInLabel: String { "Sign in with Google" }
}

/// Sign-in with any provider that the project has, such as `oidc.corporate` or `apple.com`.
public final class FUIOAuth: NSObject, FUIAuthProvider, Sendable {
  /// The provider's id at the server.
  public let providerID: String?
  /// The provider's name.
  public let shortName: String
  /// The button's text.
  public let signInLabel: String
  /// The scopes to ask the provider for; nil leaves them to the server.
  public let scopes: [String]?

  /// A provider by its id, with the text of its button.
  public init(
    authUI: FUIAuth,
    providerID: String,
    buttonLabelText: String,
    shortName: String,
    scopes: [String]? = nil
  ) {
    self.providerID = providerID
    self.shortName = shortName
    self.scopes = scopes
    signInLabel = buttonLabelText
  }
}
