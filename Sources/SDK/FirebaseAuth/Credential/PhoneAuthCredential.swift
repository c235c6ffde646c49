import Foundation

/// A phone number that a user verifies with the code of a text message.
public final class PhoneAuthCredential: AuthCredential, NSSecureCoding, @unchecked Sendable {
  /// The verification that the message's code belongs to.
  let verificationID: String
  /// The code of the message.
  let code: String

  init(verificationID: String, code: String) {
    self.verificationID = verificationID
    self.code = code
    super.init(provider: PhoneAuthProvider.id)
  }

  // MARK: Archives

  /// True: an archive's content is checked by its type.
  public static var supportsSecureCoding: Bool { true }

  /// Reads it from an archive.
  public convenience init?(coder: NSCoder) {
    guard let parts = JSONArchive.read([String].self, from: coder), parts.count == 2 else {
      return nil
    }
    self.init(verificationID: parts[0], code: parts[1])
  }

  /// Writes it to an archive.
  public func encode(with coder: NSCoder) { JSONArchive.write([verificationID, code], to: coder) }

  // MARK: Requests

  override func request(
    linkingTo idToken: String?,
    _ use: CredentialUse
  ) throws -> AuthRequest<SessionAnswer> {
    guard !verificationID.isEmpty else { throw AuthErrorCode.missingVerificationID.error() }
    guard !code.isEmpty else { throw AuthErrorCode.missingVerificationCode.error() }
    let operation =
      switch use {
      case .signIn: "SIGN_UP_OR_IN"
      case .link: "LINK"
      case .reauthentication: "REAUTH"
      }
    return AuthRequest(
      "v1/accounts:signInWithPhoneNumber",
      .identity,
      [
        "sessionInfo": .text(verificationID), "code": .text(code), "operation": .text(operation),
        "idToken": .optional(idToken),
      ]
    )
  }
}

extension User {
  /// Changes the telephone number to one that was proven.
  ///
  /// Brasa sends no text messages and answers `operationNotAllowed`.
  public func updatePhoneNumber(_ phoneNumberCredential: PhoneAuthCredential) async throws {
    let answer: SessionAnswer = try await withIDToken {
      try await auth.send(try phoneNumberCredential.request(linkingTo: $0, .link(self)))
    }
    try await adopt(answer)
  }

  /// Changes the telephone number to one that was proven.
  public func updatePhoneNumber(
    _ phoneNumberCredential: PhoneAuthCredential,
    completion: (((any Error)?) -> Void)? = nil
  ) {
    auth.deliver(to: completion) { try await self.updatePhoneNumber(phoneNumberCredential) }
  }
}
