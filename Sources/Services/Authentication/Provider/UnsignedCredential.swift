import BaseJSON

/// The credential that development takes from a client in place of a provider's response, as the
/// Auth emulator does: the claims of an ID token without a proof.
///
/// They come as a strict JSON object or as a JSON Web Token, as the ID token or, where that
/// is none, of the access token.
struct UnsignedCredential {
  private let claims: JSONValue
  private let credential: ProviderCredential

  /// Nil for a credential that needs a proof: one without claims, or a signed token of a provider
  /// that is set up.
  init?(_ credential: ProviderCredential, isSetUp: Bool) throws(AccountError) {
    let tokens = [credential.idToken, credential.accessToken].compactMap(\.self)
    var found: JSONValue?
    for token in tokens where found == nil { found = try Self.claims(of: token, isSetUp: isSetUp) }
    guard let found else { return nil }
    claims = found
    self.credential = credential
  }

  private static func claims(
    of text: String,
    isSetUp: Bool
  ) throws(AccountError) -> JSONValue? {
    if text.hasPrefix("{") {
      guard let object = try? JSONValue(parsing: text), object.members != nil else {
        throw IdentityProviders.invalid("Unable to parse id_token: it is not strict JSON.")
      }
      return object
    }
    guard let token = try? JSONWebToken(parsing: text), token.isUnsigned || !isSetUp else {
      return nil
    }
    return token.claims
  }

  /// The person, with an access token of its own making where the client has none: clients build their
  /// credentials of it.
  var profile: ProviderProfile {
    get throws(AccountError) {
      guard case .string(let subject)? = claims["sub"], !subject.isEmpty else {
        throw IdentityProviders.invalid("The field \"sub\" must be a string.")
      }
      let id = credential.providerID
      return try IdentityProviders.profile(
        claims,
        providerID: id,
        idToken: credential.idToken,
        accessToken: credential.accessToken ?? "FirebaseAuthEmulatorFakeAccessToken_\(id)",
        rawUserInfo: id == "google.com" ? googleUserInfo(subject).compact : nil
      )
    }
  }

  /// Returns the user information in Google's own form, which names some members otherwise than the
  /// claims do.
  private func googleUserInfo(_ subject: String) -> JSONValue {
    let api = "https://www.googleapis.com/auth/userinfo"
    let scopes = "openid \(api).profile" + (claims["email"] == nil ? "" : " \(api).email")
    var members: [JSONValue.Member] = [
      .init("granted_scopes", .string(scopes)), .init("id", .string(subject)),
      .init("verified_email", .boolean(isEmailVerified)), .init("locale", .string("en")),
    ]
    for name in ["name", "given_name", "family_name", "email", "picture"] {
      if let value = claims[name] { members.append(.init(name, value)) }
    }
    return .object(members)
  }

  private var isEmailVerified: Bool {
    claims["email_verified"]?.boolean == true || claims["email_verified"]?.string == "true"
  }

  /// Returns the error for a credential without claims.
  static func refusal(of credential: ProviderCredential) -> AccountError {
    guard credential.idToken == nil else {
      return IdentityProviders.invalid(
        "Unable to parse id_token: development mode accepts strict JSON or JSON Web Tokens."
      )
    }
    return AccountError(
      .operationNotAllowed,
      "\(credential.providerID) is not set up: development mode accepts only ID tokens for it."
    )
  }
}
