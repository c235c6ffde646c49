import BaseJSON
import BaseText

// Signing in with a token that a back end made: a JWT of a service account of ours, for Identity
// Toolkit, with a uid and claims. Development also takes an unsigned one and a bare JSON object, as the
// Auth emulator does.

extension ProjectAccounts {
  /// Signs in the user of a custom token; creates the account if there is none.
  ///
  /// - Parameter takesUnsigned: False where also a development server takes signed ones alone.
  package func signIn(
    customToken text: String,
    takesUnsigned: Bool = true
  ) throws -> SignInOutcome {
    guard !text.isEmpty else { throw AccountError(.init(rawValue: "MISSING_CUSTOM_TOKEN")) }
    let claims = try customClaims(of: text, takesUnsigned: takesUnsigned)
    guard claims["tenant_id"] == nil else { throw AccountError(.tenantsUnsupported) }
    guard let uid = claims["uid"]?.string ?? claims["user_id"]?.string else {
      throw AccountError(.missingIdentifier)
    }
    guard !uid.isEmpty, uid.utf16.count <= 128 else {
      throw AccountError(.invalidCustomToken, "The uid must have between 1 and 128 characters.")
    }
    let extra = try claims["claims"].flatMap { extra -> String? in
      guard extra.members != nil else { throw AccountError(.invalidClaims) }
      return try CustomClaims.check(extra.compact)
    }
    // The back end vouches for the user whole: clients could not ask for a second factor here.
    return try establish(signIn(by: "custom", extraClaims: extra), isWhole: true) { users in
      if let user = try users.users.user(Text(uid)) { return (user, false) }
      var user = User(uid: Text(uid), at: now)
      user.isCustom = true
      try users.insert(user)
      return (user, true)
    }
  }

  /// The claims of a custom token that is good.
  private func customClaims(of text: String, takesUnsigned: Bool) throws -> JSONValue {
    let takesUnsigned = takesUnsigned && accounts.configuration.acceptsUnsigned
    if takesUnsigned, text.hasPrefix("{") {
      guard let object = try? JSONValue(parsing: text), object.members != nil else {
        throw AccountError(.invalidCustomToken, "The custom token is not a JSON object.")
      }
      return object
    }
    do {
      let token = try JSONWebToken(parsing: text)
      guard token.claims["aud"]?.string == CustomToken.audience else {
        throw JSONWebToken.Problem.audience
      }
      try token.checkTimes(at: now / 1_000_000, leeway: 300)
      if token.isUnsigned, takesUnsigned { return token.claims }
      let account = try accounts.signer(of: token, byHeldKey: true)
      try accounts.checkLifetime(token)
      guard scope == .project(account.project) else {
        throw AccountError(.credentialMismatch)
      }
      return token.claims
    } catch let problem as JSONWebToken.Problem {
      throw AccountError(
        .invalidCustomToken,
        "The custom token format is incorrect. Please check the documentation.",
        cause: problem
      )
    }
  }
}

/// The common parts of custom tokens.
enum CustomToken {
  /// The audience that Google's Admin SDKs write.
  static let audience =
    "https://identitytoolkit.googleapis.com/google.identity.identitytoolkit.v1.IdentityToolkit"
}
