import BaseJSON
import BaseText

extension ProjectAccounts {
  /// Returns the claims that a token of a user would have now, for an administrator who looks at
  /// data as that user.
  ///
  /// For a uid without an account they are those of a custom token, which makes the account at its
  /// first use.
  ///
  /// - Parameter lifetime: In seconds.
  package func viewedBearer(_ uid: Text, lifetime: Int64) throws -> BearerUser {
    let time = now / 1_000_000
    let known = try user(uid)
    var user = known ?? User(uid: uid, at: now)
    if known == nil { user.isCustom = true }
    let provider = user.providerIDs.first ?? (user.isCustom ? "custom" : "anonymous")
    let signIn = SignInFacts(provider: provider, time: time)
    let members = IDTokenClaims(scope: scope, user: user, signIn: signIn)
      .members(issued: time, expiry: time + lifetime)
    guard case .map(let claims) = JSONValue.object(members).value else {
      preconditionFailure("an object is a map")
    }
    return BearerUser(
      scope: scope,
      uid: uid,
      claims: claims,
      expiry: time + lifetime,
      issued: time,
      session: known?.session ?? 0
    )
  }
}
