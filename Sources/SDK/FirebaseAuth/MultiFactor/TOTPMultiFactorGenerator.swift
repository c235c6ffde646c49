import FirebaseCore
import Foundation

#if canImport(UIKit)
import UIKit
#elseif canImport(AppKit)
import AppKit
#endif

/// Second factors by time-based codes, as authenticator apps show them.
public final class TOTPMultiFactorGenerator: NSObject, Sendable {
  /// A new secret for an account.
  public static func generateSecret(
    with session: MultiFactorSession
  ) async throws -> TOTPSecret {
    guard let user = session.user else {
      throw AuthErrorCode.missingMultiFactorSession.error()
    }
    let answer = try await user.auth.send(
      AuthRequest<EnrollmentAnswer>(
        "v2/accounts/mfaEnrollment:start",
        .identity,
        ["idToken": .text(session.proof), "totpEnrollmentInfo": .fields([:])]
      )
    )
    return TOTPSecret(answer.totpSessionInfo, email: user.email)
  }

  /// The proof that the person has a new secret.
  public static func assertionForEnrollment(
    with secret: TOTPSecret,
    oneTimePassword: String
  ) -> TOTPMultiFactorAssertion {
    TOTPMultiFactorAssertion(.enrollment(secret, code: oneTimePassword))
  }

  /// The proof that the person has an enrolled secret.
  public static func assertionForSignIn(
    withEnrollmentID enrollmentID: String,
    oneTimePassword: String
  ) -> TOTPMultiFactorAssertion {
    TOTPMultiFactorAssertion(.signIn(enrollmentID: enrollmentID, code: oneTimePassword))
  }
}

/// The proof of a second factor by a time-based code.
public final class TOTPMultiFactorAssertion: MultiFactorAssertion, @unchecked Sendable {
  enum Proof: Sendable {
    case enrollment(TOTPSecret, code: String)
    case signIn(enrollmentID: String, code: String)
  }

  private let proof: Proof

  init(_ proof: Proof) {
    self.proof = proof
    super.init(factorID: TOTPMultiFactorID)
  }

  override func enrollment() throws -> [String: AuthField] {
    guard case .enrollment(let secret, let code) = proof else { return try super.enrollment() }
    let verification: [String: AuthField] = [
      "sessionInfo": .text(secret.sessionInfo), "verificationCode": .text(code),
    ]
    return ["totpVerificationInfo": .fields(verification)]
  }

  override func signIn() throws -> [String: AuthField] {
    guard case .signIn(let enrollmentID, let code) = proof else { return try super.signIn() }
    return [
      "mfaEnrollmentId": .text(enrollmentID),
      "totpVerificationInfo": .fields(["verificationCode": .text(code)]),
    ]
  }
}

/// The secret of a second factor by time-based codes.
public final class TOTPSecret: NSObject, Sendable {
  private let secret: EnrollmentAnswer.Secret
  private let email: String?

  init(_ secret: EnrollmentAnswer.Secret, email: String?) {
    self.secret = secret
    self.email = email
  }

  var sessionInfo: String { secret.sessionInfo }

  /// The secret, for people to type: base 32.
  public func sharedSecretKey() -> String { secret.sharedSecretKey }

  /// The address that an authenticator app reads, as a picture or a link.
  public func generateQRCodeURL(withAccountName accountName: String, issuer: String) -> String {
    let name = accountName.isEmpty ? email ?? "" : accountName
    var parts = URLComponents()
    parts.scheme = "otpauth"
    parts.host = "totp"
    parts.path = "/\(issuer):\(name)"
    parts.queryItems = [
      URLQueryItem(name: "secret", value: secret.sharedSecretKey),
      URLQueryItem(name: "issuer", value: issuer),
      URLQueryItem(name: "algorithm", value: secret.hashingAlgorithm ?? "SHA1"),
      URLQueryItem(name: "digits", value: "\(secret.verificationCodeLength ?? 6)"),
      URLQueryItem(name: "period", value: "\(secret.periodSec ?? 30)"),
    ]
    return parts.string ?? ""
  }

  /// Opens an authenticator app with such an address; elsewhere than on Apple's systems the log says that nothing can.
  public func openInOTPApp(withQRCodeURL qrCodeURL: String) {
    guard let url = URL(string: qrCodeURL) else {
      return FirebaseLog.write(.error, "FirebaseAuth", "I-AUT000020", "The address is malformed.")
    }
    #if canImport(UIKit) && !os(watchOS)
    Task { @MainActor in await UIApplication.shared.open(url) }
    #elseif canImport(AppKit)
    NSWorkspace.shared.open(url)
    #else
    let text =
      "No app on this system opens \(url.scheme ?? "such") addresses. Show the address as a QR code."
    FirebaseLog.write(.error, "FirebaseAuth", "I-AUT000020", text)
    #endif
  }
}
