import Foundation

/// The tokens of an identity provider.
public final class OAuthCredential: AuthCredential, @unchecked Sendable {
  /// The provider's ID token.
  public let idToken: String?
  /// The provider's access token.
  public let accessToken: String?
  /// The secret beside the access token.
  public let secret: String?
  private let rawNonce: String?
  private let fullName: PersonNameComponents?

  init(
    provider: String,
    idToken: String? = nil,
    accessToken: String? = nil,
    secret: String? = nil,
    rawNonce: String? = nil,
    fullName: PersonNameComponents? = nil
  ) {
    self.idToken = idToken
    self.accessToken = accessToken
    self.secret = secret
    self.rawNonce = rawNonce
    self.fullName = fullName
    super.init(provider: provider)
  }

  override func request(
    linkingTo token: String?,
    _ use: CredentialUse
  ) throws -> AuthRequest<SessionAnswer> {
    var creates = true
    if case .reauthentication = use { creates = false }
    return AuthRequest(
      "v1/accounts:signInWithIdp",
      .identity,
      [
        "requestUri": .text("http://localhost"), "postBody": .text(postBody),
        "idToken": .optional(token), "autoCreate": .flag(creates),
        "returnIdpCredential": .flag(true), "returnSecureToken": .flag(true),
      ]
    )
  }

  /// The provider's tokens as a form.
  private var postBody: String {
    let fields: [(String, String?)] = [
      ("providerId", provider), ("id_token", idToken), ("access_token", accessToken),
      ("oauth_token_secret", secret), ("nonce", rawNonce), ("user", appleUser),
    ]
    return fields.compactMap { name, value in value.map { "\(name)=\(Self.escaped($0))" } }
      .joined(separator: "&")
  }

  /// The name that Apple gives to the app alone.
  private var appleUser: String? {
    guard let fullName else { return nil }
    let name = ["firstName": fullName.givenName, "lastName": fullName.familyName]
      .compactMapValues(\.self)
    guard !name.isEmpty, let json = try? JSONEncoder().encode(["name": name]) else { return nil }
    return String(decoding: json, as: UTF8.self)
  }

  private static func escaped(_ text: String) -> String {
    let plain = CharacterSet.alphanumerics.intersection(CharacterSet(charactersIn: "\0"..."\u{7F}"))
      .union(CharacterSet(charactersIn: "-._~"))
    return text.addingPercentEncoding(withAllowedCharacters: plain) ?? ""
  }
}
