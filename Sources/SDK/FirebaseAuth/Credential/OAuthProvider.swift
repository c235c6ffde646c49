import Foundation
import Locking

/// An identity provider by its id, such as `apple.com` or `oidc.corporate`.
public final class OAuthProvider: NSObject, Sendable {
  /// The provider.
  public let providerID: String
  let auth: Auth
  private let wanted = Lock<(scopes: [String]?, parameters: [String: String]?)>((nil, nil))

  /// The name of providers of this kind, which is no provider's id.
  public static let id = "OAuth"

  /// A provider.
  public convenience init(providerID: AuthProviderID, auth: Auth = Auth.auth()) {
    self.init(providerID: providerID.rawValue, auth: auth)
  }

  /// A provider by its id.
  public init(providerID: String, auth: Auth = Auth.auth()) {
    precondition(
      providerID != EmailAuthProvider.id && providerID != PhoneAuthProvider.id,
      "\(providerID) is not an OAuth provider."
    )
    self.providerID = providerID
    self.auth = auth
  }

  /// A provider by its id.
  public class func provider(providerID: String) -> OAuthProvider {
    OAuthProvider(providerID: providerID)
  }

  /// A provider by its id.
  public class func provider(providerID: String, auth: Auth) -> OAuthProvider {
    OAuthProvider(providerID: providerID, auth: auth)
  }

  /// A provider.
  public class func provider(providerID: AuthProviderID) -> OAuthProvider {
    OAuthProvider(providerID: providerID.rawValue)
  }

  /// A provider.
  public class func provider(providerID: AuthProviderID, auth: Auth) -> OAuthProvider {
    OAuthProvider(providerID: providerID.rawValue, auth: auth)
  }

  /// The scopes that the app asks the provider for.
  public var scopes: [String]? {
    get { wanted.withLock { $0.scopes } }
    set { wanted.withLock { $0.scopes = newValue } }
  }

  /// Further parameters for the provider.
  public var customParameters: [String: String]? {
    get { wanted.withLock { $0.parameters } }
    set { wanted.withLock { $0.parameters = newValue } }
  }

  // MARK: Credentials

  /// The credential of an ID token and perhaps an access token.
  public static func credential(
    providerID: AuthProviderID,
    idToken: String,
    accessToken: String? = nil
  ) -> OAuthCredential {
    OAuthCredential(provider: providerID.rawValue, idToken: idToken, accessToken: accessToken)
  }

  /// The credential of an ID token that was asked for with a nonce.
  public static func credential(
    providerID: AuthProviderID,
    idToken: String,
    rawNonce: String,
    accessToken: String? = nil
  ) -> OAuthCredential {
    OAuthCredential(
      provider: providerID.rawValue,
      idToken: idToken,
      accessToken: accessToken,
      rawNonce: rawNonce
    )
  }

  /// The credential of an access token.
  public static func credential(
    providerID: AuthProviderID,
    accessToken: String
  ) -> OAuthCredential {
    OAuthCredential(provider: providerID.rawValue, accessToken: accessToken)
  }

  /// The credential of an ID token and perhaps an access token.
  public static func credential(
    withProviderID providerID: String,
    idToken: String,
    accessToken: String?
  ) -> OAuthCredential {
    OAuthCredential(provider: providerID, idToken: idToken, accessToken: accessToken)
  }

  /// The credential of an ID token that was asked for with a nonce.
  public static func credential(
    withProviderID providerID: String,
    idToken: String,
    rawNonce: String?
  ) -> OAuthCredential {
    OAuthCredential(provider: providerID, idToken: idToken, rawNonce: rawNonce)
  }

  /// The credential of an ID token that was asked for with a nonce, and an access token.
  public static func credential(
    withProviderID providerID: String,
    idToken: String,
    rawNonce: String?,
    accessToken: String?
  ) -> OAuthCredential {
    OAuthCredential(
      provider: providerID,
      idToken: idToken,
      accessToken: accessToken,
      rawNonce: rawNonce
    )
  }

  /// The credential of an access token.
  public static func credential(
    withProviderID providerID: String,
    accessToken: String
  ) -> OAuthCredential {
    OAuthCredential(provider: providerID, accessToken: accessToken)
  }

  /// Apple's credential; the name comes only with the first sign-in.
  public static func appleCredential(
    withIDToken idToken: String,
    rawNonce: String?,
    fullName: PersonNameComponents?
  ) -> OAuthCredential {
    OAuthCredential(
      provider: AuthProviderID.apple.rawValue,
      idToken: idToken,
      rawNonce: rawNonce,
      fullName: fullName
    )
  }
}
