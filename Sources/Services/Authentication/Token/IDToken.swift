import BaseJSON
import BaseText

/// An ID token or session cookie that verified: signature, issuer, audience and times.
package struct IDToken: Sendable {
  /// The project or tenant of the audience.
  package let scope: AccountScope
  /// The user's id, the token's `sub`.
  package let uid: Text
  /// Seconds since 1970, as all times here.
  package let issued: Int64
  /// The time from which the token is no longer valid, its `exp`.
  package let expiry: Int64
  /// The facts of the sign-in that the token's session began with.
  package let signIn: SignInFacts
  /// All claims of the token.
  package let claims: JSONValue
  /// The session of `User.session`; nil of an unsigned token.
  let session: Int64?

  /// The issuers of the two kinds of token, without the project that follows where there is one.
  enum Issuer: String {
    case idToken = "https://securetoken.google.com/"
    case sessionCookie = "https://session.firebase.google.com/"

    /// The issuer of a scope's tokens.
    func name(for scope: AccountScope) -> String { rawValue + (scope.project?.string ?? "") }
  }

  /// Reads the claims of a token whose signature was checked, or needs none.
  init(_ token: JSONWebToken, issuer: Issuer, isSigned: Bool) throws(JSONWebToken.Problem) {
    let claims = token.claims
    let scope = try Self.scope(claims, isSigned: isSigned)
    guard claims["iss"]?.string == issuer.name(for: scope) else { throw .issuer }
    guard let uid = claims["sub"]?.string, !uid.isEmpty, uid.utf16.count <= 128 else {
      throw .subject
    }
    guard let issued = try token.time("iat"), let expiry = try token.time("exp") else {
      throw .malformed
    }
    if isSigned {
      // We sign for an hour, cookies for longer: tokens with other times are not ours.
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
    self.scope = scope
    self.uid = Text(uid)
    self.issued = issued
    self.expiry = expiry
    self.claims = Self.withoutSeal(token)
    let firebase = claims["firebase"]
    signIn = SignInFacts(
      provider: Text(firebase?["sign_in_provider"]?.string ?? ""),
      time: try token.time("auth_time") ?? issued,
      secondFactor: firebase?["second_factor_identifier"]?.string.map {
        .init(id: Text($0), kind: Text(firebase?["sign_in_second_factor"]?.string ?? ""))
      }
    )
  }

  /// The claims that say something of the user.
  private static func withoutSeal(_ token: JSONWebToken) -> JSONValue {
    guard token.isSealed, let members = token.claims.members else { return token.claims }
    return .object(members.filter { $0.key != "jti" })
  }

  /// The scope that the audience and `firebase.tenant` name; tokens of the server's own accounts have no
  /// audience.
  ///
  /// An unsigned token, accepted in development, belongs to its project even if it names a tenant.
  private static func scope(
    _ claims: JSONValue,
    isSigned: Bool
  ) throws(JSONWebToken.Problem) -> AccountScope {
    guard let audience = claims["aud"] else {
      guard isSigned else { throw .audience }
      return .server
    }
    guard let project = audience.string, !project.isEmpty else { throw .audience }
    guard isSigned, let tenant = claims["firebase"]?["tenant"]?.string else {
      return .project(Text(project))
    }
    return .tenant(Text(tenant), project: Text(project))
  }
}
