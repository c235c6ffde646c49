import FirestoreModel

/// An ID token or session cookie that verified: signature, issuer, audience and times.
package struct IDToken: Sendable {
  package let project: Text
  package let uid: Text
  /// Seconds since 1970, as all times here.
  package let issued: Int64
  package let expiry: Int64
  package let signIn: SignInFacts
  /// All claims, as they stand in the token.
  package let claims: JSONText
  /// The session of `User.session`; nil of an unsigned token.
  let session: Int64?

  /// The issuers of the two kinds of token, without the project that follows.
  enum Issuer: String {
    case idToken = "https://securetoken.google.com/"
    case sessionCookie = "https://session.firebase.google.com/"
  }

  /// Reads the claims of a token whose signature was checked, or needs none.
  init(_ token: JSONWebToken, issuer: Issuer, isSigned: Bool) throws(JSONWebToken.Problem) {
    let claims = token.claims
    guard let project = claims["aud"]?.string, !project.isEmpty else { throw .audience }
    guard claims["iss"]?.string == issuer.rawValue + project else { throw .issuer }
    guard let uid = claims["sub"]?.string, !uid.isEmpty, uid.utf16.count <= 128 else {
      throw .subject
    }
    guard let issued = try token.time("iat"), let expiry = try token.time("exp") else {
      throw .malformed
    }
    if isSigned {
      // We sign for an hour, cookies for longer: what says otherwise is not of our making.
      guard issuer == .sessionCookie || expiry - issued <= ProjectAccounts.idTokenLifetime else {
        throw .malformed
      }
      guard let session = token.header["ses"]?.string.flatMap({ Int64($0) }) else {
        throw .malformed
      }
      self.session = session
    } else {
      session = nil
    }
    self.project = Text(project)
    self.uid = Text(uid)
    self.issued = issued
    self.expiry = expiry
    self.claims = claims
    let firebase = claims["firebase"]
    signIn = SignInFacts(
      provider: Text(firebase?["sign_in_provider"]?.string ?? ""),
      time: try token.time("auth_time") ?? issued,
      secondFactor: firebase?["second_factor_identifier"]?.string.map {
        .init(id: Text($0), kind: Text(firebase?["sign_in_second_factor"]?.string ?? ""))
      }
    )
  }
}
