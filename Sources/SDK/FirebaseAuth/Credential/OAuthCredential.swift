import Foundation

/// The tokens of an identity provider.
public final class OAuthCredential: AuthCredential, NSSecureCoding, @unchecked Sendable {
  /// The provider's ID token.
  public let idToken: String?
  /// The provider's access token.
  public let accessToken: String?
  /// The secret beside the access token.
  public let secret: String?
  private let rawNonce: String?
  /// The server's word on the person, sent in place of the provider's tokens.
  private let pendingToken: String?
  private let fullName: PersonNameComponents?

  init(
    provider: String,
    idToken: String? = nil,
    accessToken: String? = nil,
    secret: String? = nil,
    rawNonce: String? = nil,
    fullName: PersonNameComponents? = nil,
    pendingToken: String? = nil
  ) {
    self.idToken = idToken
    self.accessToken = accessToken
    self.secret = secret
    self.rawNonce = rawNonce
    self.fullName = fullName
    self.pendingToken = pendingToken
    super.init(provider: provider)
  }

  // MARK: Archives

  /// True: an archive's content is checked by its type.
  public static var supportsSecureCoding: Bool { true }

  private struct Content: Codable {
    var provider: String
    var idToken: String?
    var accessToken: String?
    var secret: String?
    var rawNonce: String?
    var fullName: PersonNameComponents?
    var pendingToken: String?
  }

  /// Reads it from an archive.
  public convenience init?(coder: NSCoder) {
    guard let content = JSONArchive.read(Content.self, from: coder) else { return nil }
    self.init(
      provider: content.provider,
      idToken: content.idToken,
      accessToken: content.accessToken,
      secret: content.secret,
      rawNonce: content.rawNonce,
      fullName: content.fullName,
      pendingToken: content.pendingToken
    )
  }

  /// Writes it to an archive, which is as secret as the tokens.
  public func encode(with coder: NSCoder) {
    let content = Content(
      provider: provider,
      idToken: idToken,
      accessToken: accessToken,
      secret: secret,
      rawNonce: rawNonce,
      fullName: fullName,
      pendingToken: pendingToken
    )
    JSONArchive.write(content, to: coder)
  }

  // MARK: Requests

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
        "pendingToken": .optional(pendingToken),
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
