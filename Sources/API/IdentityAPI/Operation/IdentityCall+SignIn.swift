import Authentication
import BaseJSON

// Signing up and in.

extension IdentityCall {
  /// `accounts:signUp`: an account with a password, an anonymous one, or a password for the account
  /// of an ID token; with an administrator's fields, what an administrator makes.
  func signUp() async throws -> JSONValue {
    let own = ["localId", "phoneNumber", "emailVerified", "disabled", "mfaInfo"]
    if isAdministrator { return try await create() }
    if let name = own.first(where: message.has) {
      throw IdentityFailure.code(
        "UNEXPECTED_PARAMETER",
        name == "localId" ? "User ID" : name
      )
    }
    let kind = "SignupNewUserResponse"
    guard let email = try message.address("email") else {
      guard message.text("password") == nil else { throw IdentityFailure.code("MISSING_EMAIL") }
      guard message.text("idToken") == nil else { throw IdentityFailure.code("MISSING_EMAIL") }
      return try await answer(kind, accounts { try $0.signUpAnonymously(from: origin) })
    }
    let password = try required("password", else: "MISSING_PASSWORD")
    let name = message.text("displayName")
    let session = try await accounts { accounts in
      if let idToken = message.text("idToken") {
        return try accounts.linkPassword(
          idToken: idToken,
          email: email,
          password: password,
          from: origin
        )
      }
      return try accounts.signUp(
        email: email,
        password: password,
        displayName: name,
        from: origin
      )
    }
    return answer(kind, session)
  }

  /// `accounts:signInWithPassword`.
  func signInWithPassword() async throws -> JSONValue {
    let email = try requiredAddress()
    let password = try required("password", else: "MISSING_PASSWORD")
    let outcome = try await accounts {
      try $0.signIn(email: email, password: password, from: origin)
    }
    return answer("VerifyPasswordResponse", outcome) { $0.set("registered", .boolean(true)) }
  }

  /// `accounts:signInWithCustomToken`.
  func signInWithCustomToken() async throws -> JSONValue {
    let token = try required("token", else: "MISSING_CUSTOM_TOKEN")
    let outcome = try await accounts {
      try $0.signIn(customToken: token, takesUnsigned: envelope.believesClaims)
    }
    return answer("VerifyCustomTokenResponse", outcome, withProfile: false) {
      $0.set("isNewUser", .boolean(outcome.isNewUser))
    }
  }

  /// `accounts:signInWithEmailLink`.
  func signInWithEmailLink() async throws -> JSONValue {
    let email = try requiredAddress()
    let code = try required("oobCode", else: "MISSING_OOB_CODE")
    let outcome = try await accounts {
      try $0.signIn(
        emailCode: code,
        email: email,
        idToken: message.text("idToken"),
        from: origin
      )
    }
    return answer("EmailLinkSigninResponse", outcome) {
      $0.set("isNewUser", .boolean(outcome.isNewUser))
    }
  }

  // MARK: Answers

  /// A session, as sign-in calls answer it.
  func answer(_ kind: String, _ session: Session) -> JSONValue {
    answer(kind, .signedIn(session))
  }

  /// The response to a first factor: the signed-in user, or the request for a second factor.
  func answer(
    _ kind: String,
    _ outcome: SignInOutcome,
    withProfile: Bool = true,
    _ more: (inout AnswerBuilder) -> Void = { _ in }
  ) -> JSONValue {
    var answer = AnswerBuilder(kind: kind)
    let user = outcome.user
    answer.put("localId", user.uid.string)
    if withProfile {
      answer.put("email", user.email?.string)
      answer.put("displayName", user.displayName)
      answer.put("photoUrl", user.photoURL)
    }
    more(&answer)
    outcome.put(into: &answer)
    return answer.json
  }
}

extension SignInOutcome {
  var user: User {
    switch self {
    case .signedIn(let session): session.user
    case .needsSecondFactor(let user, _): user
    }
  }

  var isNewUser: Bool {
    if case .signedIn(let session) = self { session.isNewUser } else { false }
  }

  /// The tokens, or the credential of the first factor alone.
  func put(into answer: inout AnswerBuilder) {
    switch self {
    case .signedIn(let session): session.put(into: &answer)
    case .needsSecondFactor(let user, let credential):
      answer.put("mfaPendingCredential", credential)
      answer.put("mfaInfo", user.secondFactors.map { UserJSON.factor($0, isObfuscated: true) })
    }
  }
}

extension Session {
  /// The tokens, as every response that has them has them.
  func put(into answer: inout AnswerBuilder) {
    answer.put("idToken", idToken)
    answer.put("refreshToken", refreshToken)
    answer.put("expiresIn", expiresIn)
  }
}
