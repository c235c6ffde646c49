import BaseJSON
import BaseText

// The claims of ID tokens, in Firebase's form:
//
// Always: iss, aud, auth_time, user_id, sub, iat, exp. If the user has them: name, picture, email
// with email_verified, phone_number. For anonymous users, provider_id is "anonymous". `firebase`
// has identities, sign_in_provider and, for a tenant's user, tenant. Custom claims are at the top
// level, those of a custom token before those of the user, and never under reserved names.
//
// The header carries, beside alg, kid and typ, the session of the user (`User.session`) as `ses`.

/// Builds the claims of a user's tokens.
struct IDTokenClaims {
  let scope: AccountScope
  let user: User
  let signIn: SignInFacts

  func members(issued: Int64, expiry: Int64) -> [JSONValue.Member] {
    var members = custom
    func add(_ name: String, _ value: JSONValue?) {
      guard let value else { return }
      members.removeAll { Text($0.key) == Text(name) }
      members.append(.init(name, value))
    }
    add("name", user.displayName.map(JSONValue.string))
    add("picture", user.photoURL.map(JSONValue.string))
    if user.isAnonymous || signIn.provider == "anonymous" {
      add("provider_id", .string("anonymous"))
    }
    add("iss", .string(IDToken.Issuer.idToken.name(for: scope)))
    add("aud", scope.project.map { .string($0.string) })
    add("auth_time", .integer(signIn.time))
    add("user_id", .string(user.uid.string))
    add("sub", .string(user.uid.string))
    add("iat", .integer(issued))
    add("exp", .integer(expiry))
    if let email = user.email {
      add("email", .string(email.string))
      add("email_verified", .boolean(user.isEmailVerified))
    }
    add("phone_number", user.phoneNumber.map { .string($0.string) })
    add("firebase", firebase)
    return members
  }

  /// The claims of user and sign-in; those of the custom token that signed in win.
  private var custom: [JSONValue.Member] {
    var members: [JSONValue.Member] = []
    for text in [user.customClaims, signIn.extraClaims] {
      guard let text, let claims = try? JSONValue(parsing: text).members else { continue }
      for claim in claims where !CustomClaims.reserved.contains(Text(claim.key)) {
        members.removeAll { Text($0.key) == Text(claim.key) }
        members.append(claim)
      }
    }
    return members
  }

  private var firebase: JSONValue {
    var members: [JSONValue.Member] = [
      .init("identities", identities),
      .init("sign_in_provider", .string(signIn.provider.string)),
    ]
    if let tenant = scope.tenant { members.append(.init("tenant", .string(tenant.string))) }
    if let factor = signIn.secondFactor {
      members.append(.init("sign_in_second_factor", .string(factor.kind.string)))
      members.append(.init("second_factor_identifier", .string(factor.id.string)))
    }
    return .object(members)
  }

  private var identities: JSONValue {
    var members: [JSONValue.Member] = []
    for provider in user.providers {
      members.append(
        .init(provider.providerID.string, .array([.string(provider.rawID.string)]))
      )
    }
    if let phone = user.phoneNumber {
      members.append(.init("phone", .array([.string(phone.string)])))
    }
    if let email = user.email { members.append(.init("email", .array([.string(email.string)]))) }
    return .object(members)
  }
}
