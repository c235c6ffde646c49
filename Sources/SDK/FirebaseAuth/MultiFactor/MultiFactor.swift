import Foundation

/// The second factors of an account.
public final class MultiFactor: NSObject, Sendable {
  let user: User

  init(user: User) { self.user = user }

  /// The factors that are asked for after the password.
  public var enrolledFactors: [MultiFactorInfo] { user.profile.factors.map(MultiFactorInfo.make) }

  /// Begins an enrolment; the person must have signed in lately.
  public func session() async throws -> MultiFactorSession {
    MultiFactorSession(user: user, idToken: try await user.getIDToken())
  }

  /// Adds a factor.
  public func enroll(
    with assertion: MultiFactorAssertion,
    displayName: String?
  ) async throws {
    let proof = try assertion.enrollment()
    let answer: SessionAnswer = try await user.send { token in
      var fields: [String: AuthField?] = proof
      fields["idToken"] = .text(token)
      fields["displayName"] = .optional(displayName)
      return AuthRequest("v2/accounts/mfaEnrollment:finalize", .identity, fields)
    }
    try await user.adopt(answer)
  }

  /// Removes a factor.
  public func unenroll(with factorInfo: MultiFactorInfo) async throws {
    try await unenroll(withFactorUID: factorInfo.uid)
  }

  /// Removes a factor.
  public func unenroll(withFactorUID factorUID: String) async throws {
    let answer: SessionAnswer = try await user.send { token in
      AuthRequest(
        "v2/accounts/mfaEnrollment:withdraw",
        .identity,
        ["idToken": .text(token), "mfaEnrollmentId": .text(factorUID)]
      )
    }
    try await user.adopt(answer)
  }
}

/// An enrolment or a sign-in with a second factor that is under way.
public final class MultiFactorSession: NSObject, Sendable {
  /// Who enrols; nil for a sign-in.
  let user: User?
  /// The ID token of who enrols, or the credential of a pending sign-in.
  let proof: String

  init(user: User, idToken: String) {
    self.user = user
    proof = idToken
  }

  init(pendingCredential: String) {
    user = nil
    proof = pendingCredential
  }
}

/// The proof of a second factor.
///
/// Unchecked: it is not final, and neither it nor a subclass here has anything that changes.
public class MultiFactorAssertion: NSObject, @unchecked Sendable {
  /// The kind of factor.
  public let factorID: String

  init(factorID: String) { self.factorID = factorID }

  /// The members of a request that proves a new factor; throws where this is no such proof.
  func enrollment() throws -> [String: AuthField] {
    throw AuthErrorCode.missingMultiFactorInfo.error()
  }

  /// The members of a request that proves a factor of the account; throws where this is no such proof.
  func signIn() throws -> [String: AuthField] {
    throw AuthErrorCode.missingMultiFactorInfo.error()
  }
}
