// The tasks that run as long as the server.

/// Receives the outcome of each step of a task that works on a queue: an error, or nil for a step that went well.
package typealias QueueReport = @Sendable ((any Error)?) -> Void

extension PushService {
  /// Goes through topics, until its task is cancelled.
  package func runFanOuts(report: @escaping QueueReport) async {
    while !Task.isCancelled {
      do {
        let hasMore = try await stepFanOuts()
        report(nil)
        if !hasMore { await signals.fanOuts.wait(atMost: .seconds(30)) }
      } catch {
        report(error)
        await signals.fanOuts.wait(atMost: .seconds(1))
      }
    }
  }

  /// Checks every second for due work: a separate wait for each would have to follow every jump of
  /// the clock.
  ///
  /// A task with much to do takes a step at a time in turns with the others; a failure holds up
  /// none of them.
  package func runClock(report: @escaping QueueReport) async throws {
    while true {
      let end = ContinuousClock.now + .seconds(1)
      var failure: (any Error)?
      await attempt(&failure) {
        try await threads.run(on: .scans) { [self] in try lookAtSpace() }
      }
      await attempt(&failure) { try await keepWritten() }
      while await takeTurns(&failure), .now < end { try Task.checkCancellation() }
      report(failure)
      try await Task.sleep(until: end, clock: .continuous)
      streams.sweep(now: .now)
    }
  }

  /// Takes one step of everything that is due by the clock; true where something has more to do.
  private func takeTurns(_ failure: inout (any Error)?) async -> Bool {
    var hasMore = false
    await attempt(&failure) { hasMore = try await releaseScheduled() || hasMore }
    await attempt(&failure) { hasMore = try await releaseHeld() || hasMore }
    await attempt(&failure) { hasMore = try await expireMessages() || hasMore }
    return hasMore
  }

  /// Does a part of a round; the round's failure is its first.
  private func attempt(
    _ failure: inout (any Error)?,
    _ work: () async throws -> Void
  ) async {
    do { try await work() } catch { failure = failure ?? error }
  }
}
