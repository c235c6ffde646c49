import FirestoreModel

// What goes on for as long as the server runs.

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
