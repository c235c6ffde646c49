import Foundation

/// A sign-in that waits for a second factor.
public final class MultiFactorResolver: NSObject, Sendable {
  /// The sign-in in progress.
  public let session: MultiFactorSession
  /// The factors that can finish it.
  public let hints: [MultiFactorInfo]
  /// The accounts that are signed in to.
  public let auth: Auth
  private let use: CredentialUse
  private let provider: String

  init(
    auth: Auth,
    pendingCredential: String,
    factors: [UserProfile.Factor],
    use: CredentialUse,
    provider: String
  ) {
    self.auth = auth
    session = MultiFactorSession(pendingCredential: pendingCredential)
    hints = factors.map(MultiFactorInfo.make)
    self.use = use
    self.provider = provider
  }

  /// Finishes what the first factor began.
  @discardableResult
  public func resolveSignIn(with assertion: MultiFactorAssertion) async throws -> AuthDataResult {
    let answer = try await auth.send(
      AuthRequest<SessionAnswer>(
        "v2/accounts/mfaSignIn:finalize",
        .identity,
        try assertion.signIn()
          .merging(["mfaPendingCredential": .text(session.proof)]) { $1 }
      )
    )
    guard case .reauthentication(let user) = use else {
      return try await auth.finish(answer, use, provider: provider)
    }
    let result = try await auth.finish(answer, use, provider: provider)
    return try user.adopt(result)
  }
}
