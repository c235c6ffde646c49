import FirestoreModel

// What goes on for as long as the server runs.

/// A user whose registrations are his no more.
struct RevokedUser: Sendable, Hashable {
  let project: Text
  let uid: String
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

  /// Notes that a user was revoked; his registrations are forgotten to be his within a second.
  ///
  /// Does not block.
  package func noteRevocation(of uid: String, in project: Text) {
    revoked.withLock { _ = $0.insert(RevokedUser(project: project, uid: uid)) }
  }

  private func forgetRevoked() async throws {
    for user in revoked.withLock({ $0 }) {
      try await forget(user: user.uid, of: user.project)
      revoked.withLock { _ = $0.remove(user) }
    }
  }

  /// Looks every second at what is due by the clock: a wait of its own for each would have to follow every step
  /// of the clock.
  package func runClock(report: @escaping @Sendable (any Error) -> Void) async throws {
    while true {
      do {
        try await threads.run(on: .scans) { [self] in try lookAtSpace() }
        try await keepWritten()
        try await forgetRevoked()
        while try await releaseScheduled() {}
        while try await releaseHeld() {}
        while try await expireMessages() {}
      } catch {
        report(error)
      }
      try await Task.sleep(for: .seconds(1))
      streams.sweep(now: .now)
    }
  }
}
