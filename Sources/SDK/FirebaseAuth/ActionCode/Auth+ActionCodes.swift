import Foundation

// The codes of emails.

extension Auth {
  /// Sends an email with which a new password can be set.
  public func sendPasswordReset(withEmail email: String) async throws {
    try await sendPasswordReset(withEmail: email, actionCodeSettings: nil)
  }

  /// Sends an email with which a new password can be set.
  public func sendPasswordReset(
    withEmail email: String,
    actionCodeSettings: ActionCodeSettings?
  ) async throws {
    try await sendCode("PASSWORD_RESET", email, actionCodeSettings)
  }

  /// Sends an email whose link signs in.
  public func sendSignInLink(
    toEmail email: String,
    actionCodeSettings: ActionCodeSettings
  ) async throws {
    precondition(
      actionCodeSettings.handleCodeInApp,
      "The handleCodeInApp flag in ActionCodeSettings must be true for Email-link Authentication."
    )
    try await sendCode("EMAIL_SIGNIN", email, actionCodeSettings)
  }

  private func sendCode(
    _ type: String,
    _ email: String,
    _ settings: ActionCodeSettings?
  ) async throws {
    guard !email.isEmpty else { throw AuthErrorCode.missingEmail.error() }
    let own: [String: AuthField?] = ["requestType": .text(type), "email": .text(email)]
    let fields = (settings?.fields ?? [:]).merging(own) { $1 }
    _ = try await send(AuthRequest<EmptyAnswer>("v1/accounts:sendOobCode", .identity, fields))
  }

  /// Sets a new password with the code of an email.
  public func confirmPasswordReset(
    withCode code: String,
    newPassword: String
  ) async throws {
    guard !newPassword.isEmpty else { throw Self.missingPassword }
    _ = try await resetPassword(code, newPassword)
  }

  /// Returns the purpose of a code, without using it.
  public func checkActionCode(_ code: String) async throws -> ActionCodeInfo {
    ActionCodeInfo(try await resetPassword(code, nil))
  }

  /// Says which address a code for a new password belongs to.
  public func verifyPasswordResetCode(_ code: String) async throws -> String {
    let info = try await checkActionCode(code)
    guard info.operation == .passwordReset else { throw AuthErrorCode.invalidActionCode.error() }
    return info.email
  }

  private func resetPassword(_ code: String, _ newPassword: String?) async throws -> CodeAnswer {
    try await send(
      AuthRequest(
        "v1/accounts:resetPassword",
        .identity,
        ["oobCode": .text(code), "newPassword": .optional(newPassword)]
      )
    )
  }

  /// Applies a code: verifies, changes or recovers an address.
  public func applyActionCode(_ code: String) async throws {
    _ = try await send(
      AuthRequest<EmptyAnswer>("v1/accounts:update", .identity, ["oobCode": .text(code)])
    )
  }

  /// Returns true if a link of an email signs in.
  public func isSignIn(withEmailLink link: String) -> Bool {
    ActionCodeURL.signInCode(in: link) != nil
  }

  /// The ways to sign in of an address; none where the project hides which addresses have accounts.
  @available(
    *,
    deprecated,
    message: "Projects with email enumeration protection return no methods."
  )
  public func fetchSignInMethods(forEmail email: String) async throws -> [String] {
    let answer = try await send(
      AuthRequest<SignInMethodsAnswer>(
        "v1/accounts:createAuthUri",
        .identity,
        ["identifier": .text(email), "continueUri": .text("http://localhost")]
      )
    )
    return answer.signinMethods ?? []
  }
}
