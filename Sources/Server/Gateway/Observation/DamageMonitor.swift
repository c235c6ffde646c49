import Logging
import Synchronization

/// Reports damaged data that reads of the store met.
///
/// A metric, a line for `/healthz`, and the log at most once a minute, however often clients ask
/// for damaged data. Any thread may call.
package final class DamageMonitor: Sendable {
  private struct State {
    var total = 0
    var unlogged = 0
    var lastLogged: ContinuousClock.Instant?
  }

  private let state = Mutex(State())
  private let counter: CounterMetric
  private let logger: Logger
  private let now: @Sendable () -> ContinuousClock.Instant

  private static let pause = Duration.seconds(60)

  /// A monitor that counts in that registry.
  package init(
    metrics: MetricsRegistry,
    logger: Logger,
    now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
  ) {
    counter = metrics.counter("damaged_reads_total")
    self.logger = logger
    self.now = now
  }

  /// Counts a read that met damage; `metadata` names the record and its key.
  package func note(_ description: String, metadata: [String: String]) {
    counter.add(1)
    let time = now()
    let unlogged: Int? = state.withLock { state in
      state.total += 1
      if let last = state.lastLogged, time - last < Self.pause {
        state.unlogged += 1
        return nil
      }
      defer { state.unlogged = 0 }
      state.lastLogged = time
      return state.unlogged
    }
    guard let unlogged else { return }
    // "key" is a name that the log hides.
    var shown: Logger.Metadata = ["cause": "\(description)", "more_since_last": "\(unlogged)"]
    for (name, value) in metadata { shown["stored_\(name)"] = "\(value)" }
    logger.error("stored data is damaged", metadata: shown)
  }

  /// The line about damage in `/healthz`; nil if no read met damage.
  package var healthLine: String? {
    let total = state.withLock { $0.total }
    return total == 0 ? nil : "\(total) reads found damaged data since the start: see the log"
  }
}
