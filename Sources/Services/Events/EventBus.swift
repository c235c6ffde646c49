import BaseRuntime
import KeyValueStore
import Synchronization

/// Triggers, the events that wait for them, and their delivery.
///
/// Any thread may call; a method that is not `async` blocks unless it says otherwise. `tap` writes
/// the events; `run()` delivers them.
package final class EventBus: Sendable {
  /// The bus's settings and what it takes from outside.
  package struct Configuration: Sendable {
    /// The time of events and repetitions.
    package var clock = MicrosecondClock.system
    /// Gives events their form.
    package let encoding: any EventEncoding
    /// Posts events to subscriptions.
    package let posting: any EventPosting
    /// Gives 0 up to 1, for pauses that differ.
    package var jitter: @Sendable () -> Double = { Double.random(in: 0..<1) }
    /// The longest chain of events, one causing the next.
    package var greatestDepth = 16
    /// Microseconds for which dead letters are kept.
    package var deadLetterTime: Int64 = 7 * 86_400 * 1_000_000
    /// Receives the outcome of each step of delivery: an error, or nil.
    package var report: @Sendable ((any Error)?) -> Void = { _ in }

    /// The defaults of production.
    package init(encoding: any EventEncoding, posting: any EventPosting) {
      self.encoding = encoding
      self.posting = posting
    }
  }

  struct Wakes: Sendable {
    var generation = 0
    var arrivals: Set<Int64> = []
    var rewinds: Set<Int64> = []
  }

  /// The point that writes events.
  package let tap: EventTap
  let engine: any KeyValueEngine
  let threads: EngineThreads
  let configuration: Configuration
  let figures = EventFigures()
  let loops = LoopGuard()
  let schedules = Mutex<[Int64: ScheduleState]>([:])
  let taskSweep = Mutex<[UInt8]>([])
  private let functions = Mutex<(any FunctionTarget)?>(nil)
  private let waiting = Mutex(Wakes())
  /// Wakes the dispatcher that runs; nil where none does.
  private let wakeUp = Mutex<AsyncStream<Void>.Continuation?>(nil)

  /// The bus of an engine, whose triggers `tap` writes events for from now on.
  ///
  /// Blocks.
  ///
  /// - Parameter shared: The same store for nodes that only write events, where `engine` is for the one that delivers; nil is
  ///   `engine`.
  package init(
    engine: any KeyValueEngine,
    shared: (any KeyValueEngine)? = nil,
    tap: EventTap,
    threads: EngineThreads,
    configuration: Configuration
  ) throws {
    self.engine = engine
    self.tap = tap
    self.threads = threads
    self.configuration = configuration
    tap.onLanding { [weak self] counts in self?.noteLanding(counts) }
    let shared = shared ?? engine
    try shared.read { try load(from: $0) }
    // Another node may register triggers, or write events for them.
    try shared.observeOthers(in: [KeyOwner.triggers.range]) { [weak self] writes, reader in
      try self?.othersWrote(writes, reader)
    }
  }

  /// Follows what another node wrote: triggers, or events for them.
  private func othersWrote(_ writes: OtherWrites, _ reader: any KeyValueReader) throws {
    guard case .groups(let groups) = writes else {
      try load(from: reader)
      return wakeAll()
    }
    var arrivals: Set<Int64> = []
    var hasTriggers = false
    for key in groups.lazy.flatMap(\.keys) where key.count > 2 {
      switch EventKey.Kind(rawValue: key[1]) {
      case .trigger: hasTriggers = true
      case .pending: arrivals.insert(try key.withUnsafeBytes { try EventKey.number(in: $0) })
      default: break
      }
    }
    if hasTriggers { try load(from: reader) }
    if !arrivals.isEmpty { noteLanding(arrivals) }
  }

  var now: Int64 { configuration.clock.now() }

  /// Reads all triggers into the tap.
  func load(from reader: any KeyValueReader) throws {
    let cursor = try reader.cursor(over: EventKey(.trigger).range, reversed: false)
    var triggers: [Trigger] = []
    while try cursor.next() {
      let stored = try StoredTrigger(decoding: Array(cursor.value))
      // One that another version can serve and this one can't stands still.
      if let trigger = try? Trigger(stored) { triggers.append(trigger) }
    }
    replaceTriggers(TriggerIndex(triggers))
  }

  func replaceTriggers(_ index: TriggerIndex) {
    tap.replace(index)
    waiting.withLock { $0.generation += 1 }
    schedules.withLock { $0 = [:] }
    wake()
  }

  /// Has functions delivered to by the host; events of functions wait until then.
  package func attach(_ target: any FunctionTarget) {
    functions.withLock { $0 = target }
    wakeAll()
  }

  var functionTarget: (any FunctionTarget)? { functions.withLock { $0 } }

  /// Has the dispatcher look at what may begin now: for clocks.
  package func wake() { _ = wakeUp.withLock { $0?.yield() } }

  private func wakeAll() {
    waiting.withLock { $0.generation += 1 }
    wake()
  }

  private func noteLanding(_ counts: Set<Int64>) {
    waiting.withLock { $0.arrivals.formUnion(counts) }
    wake()
  }

  func noteRewind(_ trigger: Int64) {
    waiting.withLock { _ = $0.rewinds.insert(trigger) }
    wake()
  }

  func takeWakes() -> Wakes {
    waiting.withLock { waiting in
      defer { (waiting.arrivals, waiting.rewinds) = ([], []) }
      return waiting
    }
  }

  func report(_ error: (any Error)?) { configuration.report(error) }

  /// Delivers until the task is cancelled; may be called again then.
  package func run() async {
    let (wakes, continuation) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
    wakeUp.withLock { $0 = continuation }
    wakeAll()
    await EventDispatcher(self).run(wakes)
  }

  /// Wakes the dispatcher for repetitions and schedules until the task is cancelled.
  package func runClock() async throws {
    while true {
      try await Task.sleep(for: .milliseconds(100))
      wake()
    }
  }

  /// Writes, and waits without a thread until it is durable.
  @discardableResult
  func write<R: Sendable>(
    _ body: @escaping @Sendable (any KeyValueGroup) throws -> R
  ) async throws -> R {
    try await withCheckedThrowingContinuation { continuation in
      let holder = ResultHolder<R>()
      engine.submit(
        QueuedWrite(.interactive) { group in
          holder.value = try body(group)
        } completion: { [tap] outcome in
          tap.groupLanded()
          continuation.resume(
            with: outcome.flatMap { _ in
              holder.value.map(Result.success)
                ?? .failure(KeyValueError(.misuse, "a write ended without its result"))
            }
          )
        }
      )
    }
  }
}

/// The result of a write's body, for its completion on the same thread.
private final class ResultHolder<R: Sendable>: @unchecked Sendable {
  var value: R?
}

/// Counters of events, for metrics.
final class EventFigures: Sendable {
  let delivered = Atomic(0)
  let failed = Atomic(0)
  let dead = Atomic(0)
  let waiting = Atomic(0)
  let letters = Atomic(0)
}
