import Foundation

/// Telephone numbers, proven by text messages.
///
/// Brasa sends none: it answers `operationNotAllowed`, as a project does that has them turned off.
public final class PhoneAuthProvider: NSObject, Sendable {
  /// The provider's id.
  public static let id = "phone"

  private let auth: Auth

  init(_ auth: Auth) { self.auth = auth }

  /// The provider for the default app.
  public class func provider() -> PhoneAuthProvider { PhoneAuthProvider(Auth.auth()) }

  /// The provider for an app's accounts.
  public class func provider(auth: Auth) -> PhoneAuthProvider { PhoneAuthProvider(auth) }

  // MARK: Messages

  /// Sends a message with a code and returns what the code belongs to.
  public nonisolated(nonsending) func verifyPhoneNumber(
    _ phoneNumber: String,
    uiDelegate: (any AuthUIDelegate)? = nil
  ) async throws -> String {
    try await verify(phoneNumber, nil)
  }

  /// Sends a message with a code and calls back with what the code belongs to.
  public func verifyPhoneNumber(
    _ phoneNumber: String,
    uiDelegate: (any AuthUIDelegate)? = nil,
    completion: ((String?, (any Error)?) -> Void)?
  ) {
    auth.deliver(to: completion) { try await self.verify(phoneNumber, nil) }
  }

  /// Sends a message to a number that is to be a second factor.
  public nonisolated(nonsending) func verifyPhoneNumber(
    _ phoneNumber: String,
    uiDelegate: (any AuthUIDelegate)? = nil,
    multiFactorSession: MultiFactorSession?
  ) async throws -> String {
    try await verify(phoneNumber, multiFactorSession)
  }

  /// Sends a message to a number that is to be a second factor.
  public func verifyPhoneNumber(
    _ phoneNumber: String,
    uiDelegate: (any AuthUIDelegate)? = nil,
    multiFactorSession: MultiFactorSession?,
    completion: ((String?, (any Error)?) -> Void)?
  ) {
    auth.deliver(to: completion) { try await self.verify(phoneNumber, multiFactorSession) }
  }

  /// Sends a message to the number of a second factor.
  public nonisolated(nonsending) func verifyPhoneNumber(
    with multiFactorInfo: PhoneMultiFactorInfo,
    uiDelegate: (any AuthUIDelegate)? = nil,
    multiFactorSession: MultiFactorSession?
  ) async throws -> String {
    try await verify(multiFactorInfo, multiFactorSession)
  }

  /// Sends a message to the number of a second factor.
  public func verifyPhoneNumber(
    with multiFactorInfo: PhoneMultiFactorInfo,
    uiDelegate: (any AuthUIDelegate)? = nil,
    multiFactorSession: MultiFactorSession?,
    completion: ((String?, (any Error)?) -> Void)?
  ) {
    auth.deliver(to: completion) { try await self.verify(multiFactorInfo, multiFactorSession) }
  }

  /// The credential of a message's code.
  public func credential(
    withVerificationID verificationID: String,
    verificationCode: String
  ) -> PhoneAuthCredential {
    PhoneAuthCredential(verificationID: verificationID, code: verificationCode)
  }

  private func verify(_ number: String, _ session: MultiFactorSession?) async throws -> String {
    guard !number.isEmpty else { throw AuthErrorCode.missingPhoneNumber.error() }
    guard let session else {
      let answer = try await auth.send(
        AuthRequest<PhoneSessionAnswer>(
          "v1/accounts:sendVerificationCode",
          .identity,
          ["phoneNumber": .text(number)]
        )
      )
      return try answer.verificationID
    }
    let answer = try await auth.send(
      AuthRequest<PhoneSessionAnswer>(
        "v2/accounts/mfaEnrollment:start",
        .identity,
        [
          "idToken": .text(session.proof),
          "phoneEnrollmentInfo": .fields(["phoneNumber": .text(number)]),
        ]
      )
    )
    return try answer.verificationID
  }

  private func verify(
    _ factor: PhoneMultiFactorInfo,
    _ session: MultiFactorSession?
  ) async throws -> String {
    guard let session else { throw AuthErrorCode.missingMultiFactorSession.error() }
    let answer = try await auth.send(
      AuthRequest<PhoneSessionAnswer>(
        "v2/accounts/mfaSignIn:start",
        .identity,
        [
          "mfaPendingCredential": .text(session.proof), "mfaEnrollmentId": .text(factor.uid),
          "phoneSignInInfo": .fields([:]),
        ]
      )
    )
    return try answer.verificationID
  }
}

/// The responses of what sends a text message.
private struct PhoneSessionAnswer: Decodable, Sendable {
  struct Session: Decodable, Sendable {
    var sessionInfo: String?
  }

  var sessionInfo: String?
  var phoneSessionInfo: Session?
  var phoneResponseInfo: Session?

  var verificationID: String {
    get throws {
      guard
        let id = sessionInfo ?? phoneSessionInfo?.sessionInfo ?? phoneResponseInfo?.sessionInfo
      else { throw AuthErrorCode.internalError.error("The response has no session.") }
      return id
    }
  }
}
