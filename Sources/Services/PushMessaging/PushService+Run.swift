import FirestoreModel
import Synchronization

// What goes on for as long as the server runs.

/// A user whose registrations are his no more.
struct RevokedUser: Sendable, Hashable {
  let project: Text
  let uid: String
}

/// Users who are still to be forgotten.
final class RevokedUsers: Sendable {
  private let users = Mutex<Set<RevokedUser>>([])

  var all: Set<RevokedUser> { users.withLock { $0 } }

  func insert(_ user: RevokedUser) { users.withLock { _ = $0.insert(user) } }

  func remove(_ user: RevokedUser) { users.withLock { _ = $0.remove(user) } }
}

extension PushService {
  /// Goes through topics, until its task is cancelled.
  package func runFanOuts(report: @escaping @Sendable (any Error) -> Void) async {
    while !Task.isCancelled {
      do {
        if try await stepFanOuts() { continue }
        await signals.fanOuts.wait(atMost: .seconds(30))
      } catch {
        report(error)
        await signals.fanOuts.wait(atMost: .seconds(1))
      }
    }
  }

  /// Notes that a user was revoked: the engine's next write forgets that registrations are his, so that a kill leaves no more time
  /// than that between the two.
  ///
  /// Does not block. What fails is tried again every second.
  package func noteRevocation(of uid: String, in project: Text) {
    guard !uid.isEmpty else { return }
    submitDeliveries { book in
      try Self.forget(user: uid, of: project, &book)
    } completion: { [revoked] outcome in
      guard case .failure = outcome else { return }
      revoked.insert(RevokedUser(project: project, uid: uid))
    }
  }

  private func forgetRevoked() async throws {
    for user in revoked.all {
      try await forget(user: user.uid, of: user.project)
      revoked.remove(user)
    }
  }

  /// Looks every second at what is due by the clock: a wait of its own for each would have to follow every step
  /// of the clock.
  ///
  /// What has much to do takes a step at a time in turns with the others; what fails holds up none of them.
  package func runClock(report: @escaping @Sendable (any Error) -> Void) async throws {
    while true {
      let end = ContinuousClock.now + .seconds(1)
      await attempt(report) {
        try await threads.run(on: .scans) { [self] in try lookAtSpace() }
      }
      await attempt(report) { try await keepWritten() }
      await attempt(report) { try await forgetRevoked() }
      while await takeTurns(report), .now < end { try Task.checkCancellation() }
      try await Task.sleep(until: end, clock: .continuous)
      streams.sweep(now: .now)
    }
  }

  /// Takes one step of everything that is due by the clock; true where something has more to do.
  private func takeTurns(_ report: (any Error) -> Void) async -> Bool {
    var hasMore = false
    await attempt(report) { hasMore = try await releaseScheduled() || hasMore }
    await attempt(report) { hasMore = try await releaseHeld() || hasMore }
    await attempt(report) { hasMore = try await expireMessages() || hasMore }
    return hasMore
  }

  private func attempt(_ report: (any Error) -> Void, _ work: () async throws -> Void) async {
    do { try await work() } catch { report(error) }
  }
}
