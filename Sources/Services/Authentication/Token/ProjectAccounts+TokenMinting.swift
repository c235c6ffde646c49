import BaseJSON
import BaseText

// Making and reading ID tokens and session cookies.

extension ProjectAccounts {
  /// The lifetime of an ID token, in seconds.
  package static let idTokenLifetime: Int64 = 3_600

  /// The user of an ID token that a client sent, and what the token says.
  ///
  /// INVALID_ID_TOKEN, TOKEN_EXPIRED, USER_NOT_FOUND or USER_DISABLED where it is not valid.
  package func signedIn(_ token: String) throws -> (user: User, token: IDToken) {
    let verified = try idToken(token)
    return (try validUser(of: verified), verified)
  }

  /// A session cookie for the holder of an ID token; it lives 300 to 1,209,600 seconds.
  package func makeSessionCookie(idToken text: String, lifetime: Int64) throws -> String {
    guard 300...SigningKeys.longestToken ~= lifetime else { throw AccountError(.invalidDuration) }
    let token = try idToken(text)
    let user = try validUser(of: token)
    let issued = now / 1_000_000
    let replaced: [JSONValue.Member] = [
      .init("iss", .string(IDToken.Issuer.sessionCookie.name(for: scope))),
      .init("iat", .integer(issued)), .init("exp", .integer(issued + lifetime)),
    ]
    let names = Set(replaced.map { Text($0.key) } + ["jti"])
    let kept = (token.claims.members ?? []).filter { !names.contains(Text($0.key)) }
    return try sign(kept + replaced, session: user.session)
  }

  /// The user of a session cookie, as `signedIn` gives that of an ID token.
  package func signedIn(sessionCookie text: String) throws -> (user: User, token: IDToken) {
    let token = try verify(text, .sessionCookie)
    return (try validUser(of: token), token)
  }

  /// A new ID token.
  func makeIDToken(_ user: User, _ signIn: SignInFacts) throws -> String {
    let issued = now / 1_000_000
    let claims = IDTokenClaims(scope: scope, user: user, signIn: signIn)
    return try sign(
      claims.members(issued: issued, expiry: issued + Self.idTokenLifetime),
      session: user.session
    )
  }

  func idToken(_ text: String) throws -> IDToken { try verify(text, .idToken) }

  private func sign(_ claims: [JSONValue.Member], session: Int64) throws -> String {
    if accounts.configuration.issuesUnsigned {
      return accounts.seal.token(claims, session: session)
    }
    let key = try accounts.signingKeys.signer()
    return try JSONWebToken.signed(
      header: [
        .init("alg", .string("RS256")), .init("kid", .string(key.id)),
        .init("typ", .string("JWT")), .init("ses", .string("\(session)")),
      ],
      claims: claims,
      key: key.privateKey
    )
  }

  private func verify(_ text: String, _ issuer: IDToken.Issuer) throws(AccountError) -> IDToken {
    let token: IDToken
    do {
      token = try accounts.verify(JSONWebToken(parsing: text), issuer, takesUnproven: true)
    } catch {
      throw AccountError(error == .expired ? .tokenExpired : .invalidIDToken, cause: error)
    }
    // Development takes tokens of any audience, as the Auth emulator does: the uid decides.
    guard token.scope == scope || accounts.configuration.acceptsUnsigned else {
      throw AccountError(.invalidIDToken)
    }
    return token
  }

  private func validUser(of token: IDToken) throws -> User {
    guard let user = try user(token.uid) else { throw AccountError(.userNotFound) }
    guard !user.isDisabled else { throw AccountError(.userDisabled) }
    guard user.accepts(token) else { throw AccountError(.tokenExpired) }
    return user
  }
}

extension User {
  /// Returns true if a token of the user was issued after the last revocation, and the user is not
  /// disabled.
  ///
  /// The session is exact, also if the clock went back after the account was created or its tokens
  /// were revoked. A token without one is compared by time.
  func accepts(_ token: IDToken) -> Bool {
    guard !isDisabled else { return false }
    return token.session.map { $0 == session } ?? (token.issued >= validSince)
  }
}

extension Accounts {
  /// Checks all of a token except the user's later actions.
  ///
  /// - Parameter takesUnproven: True where development takes an unsigned token of another process as one that a test wrote.
  func verify(
    _ token: JSONWebToken,
    _ issuer: IDToken.Issuer,
    takesUnproven: Bool = false
  ) throws(JSONWebToken.Problem) -> IDToken {
    if token.isUnsigned, configuration.acceptsUnsigned {
      return try verifyUnsigned(token, issuer, takesUnproven: takesUnproven)
    }
    guard token.algorithm == "RS256" else { throw .algorithm }
    guard let id = token.keyID, let key = signingKeys.publicKey(id) else { throw .unknownKey }
    try token.check(key)
    try token.checkTimes(at: now / 1_000_000, leeway: 60)
    return try IDToken(token, issuer: issuer, isSigned: true)
  }
  /// As `verify`, for a token without a signature.
  ///
  /// A token with this process's seal is as valid as a signed one; a token that a test wrote by hand
  /// is only a claim.
  private func verifyUnsigned(
    _ token: JSONWebToken,
    _ issuer: IDToken.Issuer,
    takesUnproven: Bool
  ) throws(JSONWebToken.Problem) -> IDToken {
    guard seal.covers(token) else {
      guard takesUnproven || !token.isSealed else { throw .otherProcess }
      try token.checkTimes(at: now / 1_000_000, leeway: 300)
      return try IDToken(token, issuer: issuer, isSigned: false)
    }
    try token.checkTimes(at: now / 1_000_000, leeway: 60)
    return try IDToken(token, issuer: issuer, isSigned: true)
  }
  /// Refuses an unsigned ID token that this process did not issue, as account calls of pages that
  /// development does not trust do: TOKEN_EXPIRED for one of an earlier process, INVALID_ID_TOKEN
  /// for a forged one.
  package func requireProof(ofIDToken text: String) throws(AccountError) {
    guard let token = try? JSONWebToken(parsing: text), token.isUnsigned, !seal.covers(token) else {
      return
    }
    throw AccountError(token.isSealed ? .tokenExpired : .invalidIDToken)
  }
}
