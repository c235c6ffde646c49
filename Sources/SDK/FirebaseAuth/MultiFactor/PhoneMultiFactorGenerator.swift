import Foundation

/// Second factors by text message.
public final class PhoneMultiFactorGenerator: NSObject, Sendable {
  /// The proof that the person has a telephone number.
  public static func assertion(
    with phoneAuthCredential: PhoneAuthCredential
  ) -> PhoneMultiFactorAssertion {
    PhoneMultiFactorAssertion(phoneAuthCredential)
  }
}

/// The proof of a second factor by text message.
public final class PhoneMultiFactorAssertion: MultiFactorAssertion, @unchecked Sendable {
  private let credential: PhoneAuthCredential

  init(_ credential: PhoneAuthCredential) {
    self.credential = credential
    super.init(factorID: PhoneMultiFactorID)
  }

  private var proof: [String: AuthField] {
    let verification: [String: AuthField] = [
      "sessionInfo": .text(credential.verificationID), "code": .text(credential.code),
    ]
    return ["phoneVerificationInfo": .fields(verification)]
  }

  override func enrollment() throws -> [String: AuthField] { proof }

  override func signIn() throws -> [String: AuthField] { proof }
}
