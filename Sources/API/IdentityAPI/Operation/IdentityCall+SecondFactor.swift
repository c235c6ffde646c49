import Authentication
import BaseJSON
import BaseText

// Second factors by time-based codes.

extension IdentityCall {
  /// `mfaEnrollment:start`.
  func startEnrollment() async throws -> JSONValue {
    let idToken = try required("idToken", else: "MISSING_ID_TOKEN")
    guard message.message("totpEnrollmentInfo") != nil else { throw refusalWithoutTOTP }
    let enrollment = try await accounts { try $0.beginEnrollment(idToken: idToken) }
    var info = AnswerBuilder()
    info.put("sharedSecretKey", enrollment.secret)
    info.set("verificationCodeLength", .number("\(TOTP.digits)"))
    info.put("hashingAlgorithm", "SHA1")
    info.set("periodSec", .number("\(TOTP.period)"))
    info.put("sessionInfo", enrollment.sessionInfo)
    info.put("finalizeEnrollmentTime", UserJSON.instant(enrollment.end * 1_000))
    return .object(["totpSessionInfo": info.json])
  }

  /// `mfaEnrollment:finalize`.
  func finalizeEnrollment() async throws -> JSONValue {
    let idToken = try required("idToken", else: "MISSING_ID_TOKEN")
    guard let info = message.message("totpVerificationInfo") else { throw refusalWithoutTOTP }
    guard let sessionInfo = info.text("sessionInfo") else {
      throw IdentityFailure.code("MISSING_SESSION_INFO")
    }
    guard let code = info.text("verificationCode") else {
      throw IdentityFailure.code("MISSING_CODE")
    }
    let session = try await accounts {
      try $0.finishEnrollment(
        idToken: idToken,
        sessionInfo: sessionInfo,
        code: code,
        displayName: message.text("displayName")
      )
    }
    var answer = AnswerBuilder()
    answer.put("idToken", session.idToken)
    answer.put("refreshToken", session.refreshToken)
    answer.set("totpAuthInfo", .object([JSONValue.Member]()))
    return answer.json
  }

  /// `mfaEnrollment:withdraw`.
  func withdrawEnrollment() async throws -> JSONValue {
    let idToken = try required("idToken", else: "MISSING_ID_TOKEN")
    let factor = try required("mfaEnrollmentId", else: "MISSING_MFA_ENROLLMENT_ID")
    let session = try await accounts { try $0.withdraw(idToken: idToken, factor: Text(factor)) }
    var answer = AnswerBuilder()
    answer.put("idToken", session.idToken)
    answer.put("refreshToken", session.refreshToken)
    return answer.json
  }

  /// `mfaSignIn:finalize`.
  func finalizeSignIn() async throws -> JSONValue {
    let credential = try required("mfaPendingCredential", else: "MISSING_MFA_PENDING_CREDENTIAL")
    guard let info = message.message("totpVerificationInfo") else { throw refusalWithoutTOTP }
    let factor = try required("mfaEnrollmentId", else: "MISSING_MFA_ENROLLMENT_ID")
    guard let code = info.text("verificationCode") else {
      throw IdentityFailure.code("MISSING_CODE")
    }
    let session = try await accounts {
      try $0.finishSignIn(pendingCredential: credential, factor: Text(factor), code: code)
    }
    var answer = AnswerBuilder()
    answer.put("idToken", session.idToken)
    answer.put("refreshToken", session.refreshToken)
    return answer.json
  }

  /// Text messages are refused by name, anything else as a request for nothing.
  private var refusalWithoutTOTP: any Error {
    message.has("phoneEnrollmentInfo") || message.has("phoneVerificationInfo")
      ? ClientOperations.noMessages
      : IdentityFailure.code("INVALID_ARGUMENT", "A time-based code is expected.")
  }
}
