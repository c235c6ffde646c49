import Foundation

/// An ID token and what it says.
public final class AuthTokenResult: NSObject, NSSecureCoding, Sendable {
  /// The token.
  public let token: String
  /// The time at which the token expires.
  public let expirationDate: Date
  /// The time at which the person signed in.
  public let authDate: Date
  /// The time at which the token was issued.
  public let issuedAtDate: Date
  /// The provider with which the person signed in, such as `password`.
  public let signInProvider: String
  /// The second factor that was used; empty for none.
  public let signInSecondFactor: String
  private let json: Data

  init?(token: String) {
    guard let claims = IDTokenClaims(token) else { return nil }
    self.token = token
    expirationDate = claims.expiration
    authDate = claims.authentication
    issuedAtDate = claims.issue
    signInProvider = claims.signInProvider
    signInSecondFactor = claims.signInSecondFactor
    json = claims.json
  }

  // MARK: Archives

  /// True: an archive's content is checked by its type.
  public static var supportsSecureCoding: Bool { true }

  /// Reads it from an archive.
  public convenience init?(coder: NSCoder) {
    guard let token = JSONArchive.read([String].self, from: coder)?.first else { return nil }
    self.init(token: token)
  }

  /// Writes the token to an archive, which has all of the rest.
  public func encode(with coder: NSCoder) { JSONArchive.write([token], to: coder) }

  /// All claims, custom ones included.
  public var claims: [String: Any] {
    (try? JSONSerialization.jsonObject(with: json)) as? [String: Any] ?? [:]
  }
}
