import Foundation

/// The second factors of an account.
public final class MultiFactor: NSObject, NSSecureCoding, Sendable {
  /// The account; nil where the factors are from an archive, which says nothing of it.
  private let user: User?
  private let archived: [UserProfile.Factor]

  init(user: User) { (self.user, archived) = (user, []) }

  /// Factors without an account, which can be shown and not changed.
  init(archived: [UserProfile.Factor]) { (user, self.archived) = (nil, archived) }

  private var factors: [UserProfile.Factor] { user?.profile.factors ?? archived }

  /// The factors that are asked for after the password.
  public var enrolledFactors: [MultiFactorInfo] { factors.map(MultiFactorInfo.make) }

  /// The queue of callbacks: the account's, or the main queue.
  var callbackQueue: DispatchQueue { user?.auth.callbackQueue ?? .main }

  private func account() throws -> User {
    guard let user else { throw AuthErrorCode.nullUser.error() }
    return user
  }

  // MARK: Archives

  /// True: an archive's content is checked by its type.
  public static var supportsSecureCoding: Bool { true }

  /// Reads the factors from an archive, without the account.
  public convenience init?(coder: NSCoder) {
    guard let factors = JSONArchive.read([UserProfile.Factor].self, from: coder) else { return nil }
    self.init(archived: factors)
  }

  /// Writes the factors to an archive.
  public func encode(with coder: NSCoder) { JSONArchive.write(factors, to: coder) }

  // MARK: Changes

  /// Starts an enrollment; the user must have signed in recently.
  public func session() async throws -> MultiFactorSession {
    let user = try account()
    return MultiFactorSession(user: user, idToken: try await user.getIDToken())
  }

  /// Adds a factor.
  public func enroll(
    with assertion: MultiFactorAssertion,
    displayName: String?
  ) async throws {
    let user = try account()
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
    let user = try account()
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

/// An enrollment or a sign-in with a second factor in progress.
public final class MultiFactorSession: NSObject, Sendable {
  /// The user who enrols; nil for a sign-in.
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
