import Foundation
import Testing

@testable import FirebaseAuth

/// Errors' numbers, names and members.
struct AuthErrorTests {
  @Test(arguments: [
    (AuthErrorCode.invalidCustomToken, 17000, "ERROR_INVALID_CUSTOM_TOKEN"),
    (.invalidAPIKey, 17023, "ERROR_INVALID_API_KEY"),
    (.missingIosBundleID, 17036, "ERROR_MISSING_IOS_BUNDLE_ID"),
    (.missingAndroidPackageName, 17037, "ERROR_MISSING_ANDROID_PKG_NAME"),
    (.missingAppCredential, 17047, "MISSING_APP_CREDENTIAL"),
    (.networkError, 17020, "ERROR_NETWORK_REQUEST_FAILED"),
    (.tenantIDMismatch, 17072, "ERROR_TENANT_ID_MISMATCH"),
    (.recaptchaSDKNotLinked, 17208, "ERROR_RECAPTCHA_SDK_NOT_LINKED"),
    (.internalError, 17999, "ERROR_INTERNAL_ERROR"), (.malformedJWT, 18000, "ERROR_MALFORMED_JWT"),
  ])
  func `numbers and names are Google's`(code: AuthErrorCode, number: Int, name: String) {
    #expect(code.rawValue == number && code.name == name && code.code == code)
    let error = code.error()
    #expect(error.domain == "FIRAuthErrorDomain" && error.code == number)
    #expect(error.userInfo["FIRAuthErrorUserInfoNameKey"] as? String == name)
    #expect(!error.localizedDescription.isEmpty)
  }

  @Test func `casts take the errors of accounts, and only those`() {
    let error: any Error = AuthErrorCode.wrongPassword.error()
    #expect(error as? AuthErrorCode == .wrongPassword)
    do { throw error } catch AuthErrorCode.wrongPassword {} catch { Issue.record("\(error)") }
    let value: (any Error)? = AuthErrorCode.wrongPassword
    #expect((value as? NSError)?.code == 17009 && (value as? NSError)?.domain == AuthErrors.domain)
    let other: any Error = NSError(domain: "shop", code: 17009)
    #expect(other as? AuthErrorCode == nil)
  }

  @Test func `the older names are the same values`() {
    #expect(AuthErrorDomain == AuthErrors.domain)
    #expect(AuthErrorUserInfoNameKey == AuthErrors.userInfoNameKey)
    #expect(AuthErrorUserInfoMultiFactorResolverKey == AuthErrors.userInfoMultiFactorResolverKey)
    #expect(GoogleAuthProviderID == "google.com" && GoogleAuthSignInMethod == "google.com")
    #expect(EmailPasswordAuthSignInMethod == "password" && EmailLinkAuthSignInMethod == "emailLink")
    let settings = ActionCodeSettings()
    settings.setIOSBundleID("org.example.shop")
    #expect(settings.iOSBundleID == "org.example.shop")
  }

  private func failure(_ message: String, reason: String = "invalid") -> NSError? {
    let body = #"{"error":{"code":400,"message":"\#(message)","errors":[{"reason":"\#(reason)"}]}}"#
    return ServerFailure(body: Data(body.utf8))?.error
  }

  @Test(arguments: [
    ("EMAIL_EXISTS", AuthErrorCode.emailAlreadyInUse),
    ("INVALID_LOGIN_CREDENTIALS", .invalidCredential),
    ("CREDENTIAL_MISMATCH : another project", .customTokenMismatch),
    ("INVALID_CODE:no space", .invalidVerificationCode), ("INVALID_IDENTIFIER", .invalidEmail),
  ])
  func `codes of the server are numbers`(message: String, code: AuthErrorCode) {
    #expect(failure(message)?.code == code.rawValue)
  }

  @Test func `a weak password says why`() {
    let error = failure("WEAK_PASSWORD : Password should be at least 6 characters")
    #expect(error?.code == 17026)
    let reason = error?.userInfo[NSLocalizedFailureReasonErrorKey] as? String
    #expect(reason == "Password should be at least 6 characters")
  }

  @Test func `unknown codes are internal errors with the answer below`() throws {
    let error = try #require(failure("SOMETHING_NEW : really"))
    #expect(error.code == 17999)
    let underlying = try #require(error.userInfo[NSUnderlyingErrorKey] as? NSError)
    #expect(underlying.domain == "FIRAuthInternalErrorDomain")
    let answer =
      underlying.userInfo["FIRAuthErrorUserInfoDeserializedResponseKey"] as? [String: Any]
    #expect((answer?["error"] as? [String: Any])?["message"] as? String == "SOMETHING_NEW : really")
  }

  @Test func `a key's own reasons go before the message`() {
    let text = "API key not valid. Please pass a valid API key."
    #expect(failure(text, reason: "keyInvalid")?.code == AuthErrorCode.invalidAPIKey.rawValue)
    #expect(
      failure(text, reason: "ipRefererBlocked")?.code == AuthErrorCode.appNotAuthorized.rawValue
    )
    #expect(ServerFailure(body: Data("<html>".utf8)) == nil)
  }

  @Test(arguments: [
    ("https://x.example/?mode=signIn&oobCode=abc&apiKey=k", true),
    ("https://x.example/?mode=resetPassword&oobCode=abc", false),
    ("https://x.example/?mode=signIn", false), ("https://x.example/?mode=signIn&oobCode=", false),
    ("https://x.page.link/?link=https%3A%2F%2Fx.example%2F%3Fmode%3DsignIn%26oobCode%3Dabc", true),
    ("nonsense", false), ("", false),
  ])
  func `a sign-in link has mode and code`(link: String, signsIn: Bool) {
    #expect((ActionCodeURL.signInCode(in: link) == "abc") == signsIn)
  }

  @Test func `a link is taken apart`() throws {
    let link =
      "https://x.example/__/auth/action?mode=resetPassword&oobCode=abc&apiKey=k&lang=pt"
      + "&continueUrl=https%3A%2F%2Fx.example%2Fon"
    let url = try #require(ActionCodeURL(link: link))
    #expect(url.operation == .passwordReset && url.code == "abc" && url.apiKey == "k")
    #expect(url.languageCode == "pt" && url.continueURL?.absoluteString == "https://x.example/on")
    #expect(ActionCodeURL(link: "https://x.example/?mode=signIn") == nil)
  }

  @Test func `the codes of the tests' authenticator are RFC 6238's`() {
    // The RFC's secret and its last six digits at seconds 59 and 1111111109.
    let secret = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"
    #expect(TimedCode.code(secret: secret, step: 1) == "287082")
    #expect(TimedCode.code(secret: secret, step: 1_111_111_109 / 30) == "081804")
  }
}
