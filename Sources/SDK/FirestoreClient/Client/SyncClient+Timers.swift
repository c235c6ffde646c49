import Dispatch
import FirestoreSync

// Timers of the engine, and the client's own work that waits.

extension SyncClient {
  /// A timer of the engine that was started.
  struct RunningTimer {
    /// Distinguishes starts: a call of a cancelled one may be in flight.
    let number: Int
    let deadline: DispatchTime
  }

  func start(_ timer: SyncTimer, _ delay: Duration, jitter: Bool) {
    timerCount += 1
    let number = timerCount
    let delay = jitter ? delay * (1 + configuration.jitter()) : delay
    let running = RunningTimer(number: number, deadline: .now() + Self.seconds(delay))
    timers[timer] = running
    guard let schedule = configuration.schedule else {
      return source(of: timer).schedule(deadline: running.deadline)
    }
    schedule(delay) { [weak self] in
      self?.perform { client in
        if client.timers[timer]?.number == number { client.fire(timer) }
      }
    }
  }

  func cancel(_ timer: SyncTimer) {
    timers[timer] = nil
    sources[timer]?.schedule(deadline: .distantFuture)
  }

  private func fire(_ timer: SyncTimer) {
    timers[timer] = nil
    handle(.timerFired(timer))
  }

  /// The source of a timer, one for all its starts: a call that the queue keeps until its time would stay, for a minute
  /// each, although the timer was cancelled.
  private func source(of timer: SyncTimer) -> any DispatchSourceTimer {
    if let known = sources[timer] { return known }
    let source = DispatchSource.makeTimerSource(queue: executor.queue)
    source.setEventHandler { [weak self] in
      self?.perform { client in
        guard let running = client.timers[timer], running.deadline <= .now() else { return }
        client.fire(timer)
      }
    }
    source.schedule(deadline: .distantFuture)
    source.activate()
    sources[timer] = source
    return source
  }

  func schedule(
    _ delay: Duration,
    _ body: @escaping @Sendable (isolated SyncClient) -> Void
  ) {
    let fire: @Sendable () -> Void = { [weak self] in self?.perform(body) }
    if let schedule = configuration.schedule {
      schedule(delay, fire)
    } else {
      executor.queue.asyncAfter(deadline: .now() + Self.seconds(delay), execute: fire)
    }
  }

  private static func seconds(_ delay: Duration) -> Double {
    Double(delay.components.seconds) + Double(delay.components.attoseconds) / 1e18
  }
}
