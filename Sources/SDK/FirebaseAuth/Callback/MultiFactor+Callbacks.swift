import FirebaseCore
import Foundation

// The asynchronous methods with a callback. A callback gets the result or the error, and comes on
// the queue of callbacks.

extension MultiFactor {
  /// Starts an enrollment; the user must have signed in recently.
  public func getSessionWithCompletion(
    _ completion: ((MultiFactorSession?, (any Error)?) -> Void)?
  ) {
    AppCallback { (session: MultiFactorSession?, error) in completion?(session, error) }
      .deliver(on: callbackQueue) { try await self.session() }
  }

  /// Adds a factor.
  public func enroll(
    with assertion: MultiFactorAssertion,
    displayName: String?,
    completion: (((any Error)?) -> Void)? = nil
  ) {
    deliver(to: completion) { try await self.enroll(with: assertion, displayName: displayName) }
  }

  /// Removes a factor.
  public func unenroll(
    with factorInfo: MultiFactorInfo,
    completion: (((any Error)?) -> Void)? = nil
  ) {
    deliver(to: completion) { try await self.unenroll(with: factorInfo) }
  }

  /// Removes a factor.
  public func unenroll(
    withFactorUID factorUID: String,
    completion: (((any Error)?) -> Void)? = nil
  ) {
    deliver(to: completion) { try await self.unenroll(withFactorUID: factorUID) }
  }

  private func deliver(
    to completion: (((any Error)?) -> Void)?,
    _ work: @escaping @Sendable () async throws -> Void
  ) {
    AppCallback { (_: Void?, error) in completion?(error) }.deliver(on: callbackQueue, work)
  }
}

extension MultiFactorResolver {
  /// Finishes what the first factor began.
  public func resolveSignIn(
    with assertion: MultiFactorAssertion,
    completion: ((AuthDataResult?, (any Error)?) -> Void)? = nil
  ) {
    auth.deliver(to: completion) { try await self.resolveSignIn(with: assertion) }
  }
}

extension TOTPMultiFactorGenerator {
  /// A new secret for an account.
  public static func generateSecret(
    with session: MultiFactorSession,
    completion: @escaping (TOTPSecret?, (any Error)?) -> Void
  ) {
    guard let user = session.user else {
      let callback = AppCallback(completion)
      return DispatchQueue.main.async {
        callback.call(.failure(AuthErrorCode.missingMultiFactorSession.error()))
      }
    }
    user.auth.deliver(to: completion) { try await Self.generateSecret(with: session) }
  }
}
