import Dispatch
import FirestoreSync

// Timers of the engine, and the client's own work that waits.

extension SyncClient {
  func start(_ timer: SyncTimer, _ delay: Duration, jitter: Bool) {
    timerCount += 1
    let count = timerCount
    timers[timer] = count
    schedule(jitter ? delay * (1 + configuration.jitter()) : delay) { client in
      guard client.timers[timer] == count else { return }
      client.timers[timer] = nil
      client.handle(.timerFired(timer))
    }
  }

  func schedule(
    _ delay: Duration,
    _ body: @escaping @Sendable (isolated SyncClient) -> Void
  ) {
    let fire: @Sendable () -> Void = { [weak self] in self?.perform(body) }
    if let schedule = configuration.schedule {
      schedule(delay, fire)
    } else {
      let seconds = Double(delay.components.seconds)
      let fraction = Double(delay.components.attoseconds) / 1e18
      executor.queue.asyncAfter(deadline: .now() + seconds + fraction, execute: fire)
    }
  }
}
