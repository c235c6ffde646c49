import FirebaseAuth
import Foundation
import Testing

/// Changes of an account, proofs of who somebody is, and codes of emails.
struct UserTests {
  private let password = AuthFixture.password
  private let email = AuthFixture.email

  @Test func `name and picture are set and cleared in place`() async throws {
    let fixture = try await AuthFixture()
    let user = try await fixture.signUp()
    let change = user.createProfileChangeRequest()
    change.displayName = "Ana"
    change.photoURL = URL(string: "https://x.example/a.png")
    try await change.commitChanges()
    #expect(fixture.auth.currentUser === user && user.displayName == "Ana")
    #expect(user.photoURL?.absoluteString == "https://x.example/a.png")
    let clearing = user.createProfileChangeRequest()
    #expect(clearing.displayName == "Ana")
    clearing.displayName = nil
    try await clearing.commitChanges()
    #expect(user.displayName == nil && user.photoURL != nil)
    #expect(fixture.restarted().currentUser?.photoURL != nil)
  }

  @Test func `a new password keeps this session`() async throws {
    let fixture = try await AuthFixture()
    let user = try await fixture.signUp()
    let other = try await fixture.restarted().signIn(withEmail: email, password: password).user
    try await user.updatePassword(to: "another one 8")
    _ = try await user.getIDToken(forcingRefresh: true)
    #expect(
      await authFailure { _ = try await other.getIDToken(forcingRefresh: true) }
        == .userTokenExpired
    )
    try await fixture.auth.signIn(withEmail: email, password: "another one 8")
    #expect(await authFailure { try await user.updatePassword(to: "") } == .weakPassword)
  }

  @Test func `who proves to be the same person goes on`() async throws {
    let fixture = try await AuthFixture()
    try await fixture.signUp("bia@example.com")
    let user = try await fixture.signUp()
    let own = EmailAuthProvider.credential(withEmail: email, password: password)
    let result = try await user.reauthenticate(with: own)
    #expect(result.user === user && fixture.auth.currentUser === user)
    let others = EmailAuthProvider.credential(withEmail: "bia@example.com", password: password)
    #expect(await authFailure { try await user.reauthenticate(with: others) } == .userMismatch)
    let nobodys = EmailAuthProvider.credential(withEmail: "x@example.com", password: password)
    #expect(await authFailure { try await user.reauthenticate(with: nobodys) } == .userMismatch)
    let wrong = EmailAuthProvider.credential(withEmail: email, password: "not this one")
    #expect(await authFailure { try await user.reauthenticate(with: wrong) } == .wrongPassword)
    #expect(fixture.auth.currentUser === user)
  }

  @Test func `a deleted account is signed out`() async throws {
    let fixture = try await AuthFixture()
    let user = try await fixture.signUp()
    try await user.delete()
    #expect(fixture.auth.currentUser == nil && fixture.store.data == nil)
    let gone = await authFailure {
      try await fixture.auth.signIn(withEmail: email, password: password)
    }
    #expect(gone == .userNotFound)
  }

  @Test func `an email verifies the address`() async throws {
    let fixture = try await AuthFixture()
    let user = try await fixture.signUp()
    try await user.sendEmailVerification()
    let sent = try #require(try await fixture.emails().first)
    let info = try await fixture.auth.checkActionCode(sent.oobCode)
    #expect(info.operation == .verifyEmail && info.email == email && info.previousEmail == nil)
    try await fixture.auth.applyActionCode(sent.oobCode)
    #expect(!user.isEmailVerified)
    try await user.reload()
    #expect(user.isEmailVerified)
  }

  @Test func `an email sets a new password`() async throws {
    let fixture = try await AuthFixture()
    let auth = fixture.auth
    try await fixture.signUp()
    try await auth.sendPasswordReset(withEmail: email)
    let sent = try #require(try await fixture.emails().first)
    #expect(try await auth.verifyPasswordResetCode(sent.oobCode) == email)
    try await auth.confirmPasswordReset(withCode: sent.oobCode, newPassword: "quite new 9")
    try await auth.signIn(withEmail: email, password: "quite new 9")
    let used = await authFailure { _ = try await auth.checkActionCode(sent.oobCode) }
    #expect(used == .invalidActionCode)
  }

  @Test func `an email changes the address`() async throws {
    let fixture = try await AuthFixture()
    let user = try await fixture.signUp()
    try await user.sendEmailVerification(beforeUpdatingEmail: "new@example.com")
    let sent = try #require(try await fixture.emails().first)
    let info = try await fixture.auth.checkActionCode(sent.oobCode)
    #expect(info.operation == .verifyAndChangeEmail)
    #expect(info.email == "new@example.com" && info.previousEmail == email)
    try await fixture.auth.applyActionCode(sent.oobCode)
    let result = try await fixture.auth.signIn(withEmail: "new@example.com", password: password)
    #expect(result.user.uid == user.uid && result.user.isEmailVerified)
  }

  @Test func `a second factor is asked for`() async throws {
    let fixture = try await AuthFixture()
    let user = try await fixture.signUp()
    #expect(await authFailure { _ = try await Self.secret(of: user) } == .unverifiedEmail)
    try await fixture.verifyEmail(of: user)
    let secret = try await Self.secret(of: user)
    let step = TimedCode.step()
    let enrollment = TOTPMultiFactorGenerator.assertionForEnrollment(
      with: secret,
      oneTimePassword: TimedCode.code(secret: secret.sharedSecretKey(), step: step)
    )
    try await user.multiFactor.enroll(with: enrollment, displayName: "phone")
    let factor = try #require(user.multiFactor.enrolledFactors.first)
    #expect(factor is TOTPMultiFactorInfo && factor.factorID == "totp")
    #expect(factor.displayName == "phone")
    #expect(abs(factor.enrollmentDate.timeIntervalSinceNow) < 3600)
    let resolver = try await Self.resolver(fixture)
    #expect(await Self.secretRefusal(resolver.session) == .missingMultiFactorSession)
    let hint = try #require(resolver.hints.first)
    #expect(hint.uid == factor.uid)
    let wrong = TOTPMultiFactorGenerator.assertionForSignIn(
      withEnrollmentID: hint.uid,
      oneTimePassword: TimedCode.code(secret: secret.sharedSecretKey(), step: step)
    )
    let refusal = await authFailure { try await resolver.resolveSignIn(with: wrong) }
    #expect(refusal == .invalidVerificationCode)
    let right = TOTPMultiFactorGenerator.assertionForSignIn(
      withEnrollmentID: hint.uid,
      oneTimePassword: TimedCode.code(secret: secret.sharedSecretKey(), step: step + 1)
    )
    let result = try await resolver.resolveSignIn(with: right)
    #expect(fixture.auth.currentUser === result.user && result.user.uid == user.uid)
    #expect(try await result.user.getIDTokenResult().signInSecondFactor == "totp")
    try await result.user.multiFactor.unenroll(with: hint)
    #expect(result.user.multiFactor.enrolledFactors.isEmpty)
    try await fixture.auth.signIn(withEmail: email, password: password)
  }

  private static func secret(of user: User) async throws -> TOTPSecret {
    let session = try await user.multiFactor.session()
    return try await TOTPMultiFactorGenerator.generateSecret(with: session)
  }

  /// Why a sign-in's session makes no secret, as a callback on the main queue says.
  private static func secretRefusal(_ session: MultiFactorSession) async -> AuthErrorCode? {
    let isMain = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: isMain, value: true)
    return await withCheckedContinuation { continuation in
      TOTPMultiFactorGenerator.generateSecret(with: session) { _, error in
        let code = (error as NSError?).flatMap { AuthErrorCode(rawValue: $0.code) }
        continuation.resume(
          returning: DispatchQueue.getSpecific(key: isMain) == true ? code : nil
        )
      }
    }
  }

  /// Signs in by password, which is not enough.
  private static func resolver(_ fixture: AuthFixture) async throws -> MultiFactorResolver {
    try fixture.auth.signOut()
    do {
      try await fixture.auth.signIn(withEmail: AuthFixture.email, password: AuthFixture.password)
    } catch let error as NSError {
      #expect(error.code == AuthErrorCode.secondFactorRequired.rawValue)
      #expect(fixture.auth.currentUser == nil)
      let key = AuthErrors.userInfoMultiFactorResolverKey
      return try #require(error.userInfo[key] as? MultiFactorResolver)
    }
    throw AuthErrorCode.internalError
  }

  @Test func `an authenticator app's address names issuer and account`() async throws {
    let fixture = try await AuthFixture()
    let user = try await fixture.signUp()
    try await fixture.verifyEmail(of: user)
    let secret = try await Self.secret(of: user)
    let url = secret.generateQRCodeURL(withAccountName: "ana", issuer: "Padaria & Cia")
    let parts = try #require(URLComponents(string: url))
    #expect(parts.scheme == "otpauth" && parts.host == "totp" && parts.path == "/Padaria & Cia:ana")
    let items = Dictionary(
      (parts.queryItems ?? []).map { ($0.name, $0.value ?? "") },
      uniquingKeysWith: { $1 }
    )
    #expect(items["secret"] == secret.sharedSecretKey() && items["issuer"] == "Padaria & Cia")
    #expect(items["digits"] == "6" && items["period"] == "30" && items["algorithm"] == "SHA1")
  }
}
