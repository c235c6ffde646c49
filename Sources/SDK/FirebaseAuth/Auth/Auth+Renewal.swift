import Foundation

/// The plan by which the ID token is renewed without being asked for.
struct RenewalPlan: Sendable {
  /// True if another product has asked for a token.
  var isWanted = false
  /// The token that the plan is for.
  var token: String?
  /// The number of the plan that counts.
  var number = 0

  /// Seconds until the second attempt; each further one waits twice as long as the last.
  static let firstRetry: TimeInterval = 60
  /// Seconds between attempts at most.
  static let longestRetry: TimeInterval = 16 * 60
}

// Renewing the token before it ends, so that streams of other products need not wait for it. It begins when another
// product asks for a token, and ends with the session.

extension Auth {
  /// Renews the token in the background from now on.
  func renewInBackground() {
    let isFirst = renewal.withLock { plan in
      defer { plan.isWanted = true }
      return !plan.isWanted
    }
    if isFirst { planRenewal() }
  }

  /// Plans the renewal of the current token, unless that is planned.
  func planRenewal() {
    guard renewal.withLock({ $0.isWanted }) else { return }
    let user = currentUser
    let tokens = user?.tokens
    let number = renewal.withLock { plan -> Int? in
      guard plan.token != tokens?.idToken else { return nil }
      plan.token = tokens?.idToken
      plan.number += 1
      return plan.number
    }
    guard let number, let user, let tokens else { return }
    let rest = tokens.expiration.timeIntervalSince(now()) - SessionTokens.leeway
    // A server whose tokens live shorter than the leeway is not asked all the time.
    renew(user, after: max(rest, RenewalPlan.firstRetry), number, retry: RenewalPlan.firstRetry)
  }

  private func renew(
    _ user: User,
    after delay: TimeInterval,
    _ number: Int,
    retry: TimeInterval
  ) {
    schedule(delay) { [weak self, weak user] in
      guard let self, let user, isPlanned(number), currentUser === user else { return }
      Task {
        do {
          _ = try await user.getIDToken(forcingRefresh: true)
        } catch {
          // A session that has ended has no plan any more.
          guard self.isPlanned(number) else { return }
          let next = min(retry * 2, RenewalPlan.longestRetry)
          self.renew(user, after: retry, number, retry: next)
        }
      }
    }
  }

  private func isPlanned(_ number: Int) -> Bool { renewal.withLock { $0.number == number } }
}
