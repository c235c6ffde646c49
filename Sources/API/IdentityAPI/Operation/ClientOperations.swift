import Authentication

/// The operations of clients, by the names that the APIs' versions share.
enum ClientOperations {
  static let all: [String: IdentityOperation] = [
    "signUp": .init(shape: RequestShapes.signUp) { try await $0.signUp() },
    "signInWithPassword": .init(shape: RequestShapes.signInWithPassword) {
      try await $0.signInWithPassword()
    },
    "signInWithCustomToken": .init(shape: RequestShapes.signInWithCustomToken) {
      try await $0.signInWithCustomToken()
    },
    "signInWithEmailLink": .init(shape: RequestShapes.signInWithEmailLink) {
      try await $0.signInWithEmailLink()
    },
    "signInWithIdp": .init(shape: RequestShapes.signInWithIdp) { try await $0.signInWithIdp() },
    "sendOobCode": .init(shape: RequestShapes.sendOobCode) { try await $0.sendOobCode() },
    "resetPassword": .init(shape: RequestShapes.resetPassword) { try await $0.resetPassword() },
    "lookup": .init(shape: RequestShapes.lookup) { try await $0.lookup() },
    "update": .init(shape: RequestShapes.update) { try await $0.update() },
    "delete": .init(shape: RequestShapes.delete) { try await $0.delete() },
    "createAuthUri": .init(shape: RequestShapes.createAuthUri) { try await $0.createAuthUri() },
    "projects": .init(method: .get, shape: RequestShapes.empty) { try await $0.projectConfig() },
    "recaptchaParams": .init(method: .get, shape: RequestShapes.empty) { $0.recaptchaParameters() },
    "recaptchaConfig": .init(method: .get, shape: RequestShapes.empty) { $0.recaptchaConfig() },
    "passwordPolicy": .init(method: .get, shape: RequestShapes.empty) {
      try await $0.passwordPolicy()
    },
    "mfaEnrollment:start": .init(shape: RequestShapes.enrollmentStart) {
      try await $0.startEnrollment()
    },
    "mfaEnrollment:finalize": .init(shape: RequestShapes.enrollmentFinalize) {
      try await $0.finalizeEnrollment()
    },
    "mfaEnrollment:withdraw": .init(shape: RequestShapes.enrollmentWithdraw) {
      try await $0.withdrawEnrollment()
    },
    "mfaSignIn:start": .init(shape: RequestShapes.signInStart) { _ in throw Self.noMessages },
    "mfaSignIn:finalize": .init(shape: RequestShapes.signInFinalize) {
      try await $0.finalizeSignIn()
    },
    "downloadAccount": .init(shape: RequestShapes.downloadAccount) {
      try $0.requireAdministrator()
      return try await $0.batchGet()
    },
    "uploadAccount": .init(shape: RequestShapes.batchCreate) {
      try $0.requireAdministrator()
      return try await $0.batchCreate()
    },
  ].merging(unsupported) { kept, _ in kept }

  /// Factors by text message are refused: the server sends none.
  static let noMessages = AccountError(.operationNotAllowed, "SMS based MFA not enabled.")

  /// The operations that Google has and this server lacks; each one's error says so.
  private static let unsupported = Dictionary(
    uniqueKeysWithValues: [
      "signInWithPhoneNumber": "Sign-in by telephone number",
      "sendVerificationCode": "Sign-in by telephone number",
      "signInWithGameCenter": "Sign-in by Game Center",
      "issueSamlResponse": "SAML",
      "verifyIosClient": "Sign-in by telephone number",
      "revokeToken": "Revoking a provider's token",
      "passkeyEnrollment:start": "Enrolment of passkeys",
      "passkeyEnrollment:finalize": "Enrolment of passkeys",
      "passkeySignIn:start": "Sign-in by passkey",
      "passkeySignIn:finalize": "Sign-in by passkey",
    ].map { name, subject in
      (
        name,
        IdentityOperation(shape: MessageShape(), readsBody: false) { _ in
          throw AccountError(.operationNotAllowed, "\(subject) is not supported by this server.")
        }
      )
    }
  )
}
