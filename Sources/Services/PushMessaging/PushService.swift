import BaseRuntime
import FirestoreModel
import KeyValueStore
import Synchronization

/// Registrations, topics, messages and their queues.
///
/// A message is durable before it is answered, and a delivery's outcome before it counts. Any thread may call; calls that are
/// not `async` block unless they say otherwise.
package final class PushService: Sendable {
  let engine: any KeyValueEngine
  let clock: MicrosecondClock
  let threads: EngineThreads
  /// The bounds that the service enforces, fixed when it is made.
  package let limits: MessagingLimits
  /// The clients that are connected.
  package let streams: DirectStreams
  let figures = MessagingFigures()
  let signals = WorkSignals()
  let random: @Sendable (Int) -> [UInt8]
  /// The members of audiences; nil where there are none.
  let audiences: (any MessageAudiences)?
  /// Returns the free bytes of the disk; with nil they are not checked.
  let availableBytes: (@Sendable () throws -> Int)?
  /// True if the disk has less space left than it is to keep.
  let isShortOfSpace = Atomic<Bool>(false)
  /// The progress of the look for unused registrations.
  let sweep = Mutex(SweepProgress())
  /// The progress of the look for counts that no cap needs.
  let capSweep = Mutex(SweepProgress())
  /// The progress of the look for expired messages.
  let expiry = Mutex(ExpiryProgress())
  /// The progress of the look for old messages.
  let pruned = Mutex(PruneProgress())
  /// Deliveries that were written to streams, and are to be kept as handed over.
  let written = Mutex<[WrittenDelivery]>([])
  /// The highest version at which an entry of a lane is due; versions may be ahead of the clock.
  private let latestDue = Atomic<Int64>(0)

  /// The messaging of an engine.
  ///
  /// - Parameters:
  ///   - audiences: The members of audiences; nil where there are none.
  ///   - availableBytes: Returns the free bytes of the disk; blocks.
  /// - random: Returns this many random bytes.
  package init(
    engine: any KeyValueEngine,
    threads: EngineThreads,
    clock: MicrosecondClock = .system,
    limits: MessagingLimits = MessagingLimits(),
    audiences: (any MessageAudiences)? = nil,
    availableBytes: (@Sendable () throws -> Int)? = nil,
    random: @escaping @Sendable (Int) -> [UInt8] = PushService.systemRandom
  ) {
    self.engine = engine
    self.threads = threads
    self.clock = clock
    self.limits = limits
    self.audiences = audiences
    self.availableBytes = availableBytes
    self.random = random
    streams = DirectStreams(
      limit: limits.streams,
      memory: engine.isShared ? nil : ClientMemory()
    )
  }

  /// The time in microseconds.
  package var now: Int64 { clock.now() }

  /// The time up to which entries of lanes are due at once; reads the store if nothing was written
  /// yet.
  func laneTime() async throws -> Int64 {
    if latestDue.load(ordering: .relaxed) == 0 {
      let last = try await threads.run(on: .scans) { [self] in
        try engine.read { try $0.readTime() }
      }
      latestDue.max(last, ordering: .relaxed)
    }
    return max(now, latestDue.load(ordering: .relaxed))
  }

  /// Bytes of the system's generator.
  package static let systemRandom: @Sendable (Int) -> [UInt8] = { count in
    var generator = SystemRandomNumberGenerator()
    return (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
  }

  // MARK: The engine

  func reading<R>(_ body: (any KeyValueReader) throws -> R) throws -> R {
    do {
      return try engine.read { try body($0) }
    } catch {
      throw MessagingError.engine(error)
    }
  }

  /// Reads on a thread that may wait for the disk.
  func read<R: Sendable>(
    on lane: EngineThreads.Lane = .reads,
    caller: String = "",
    _ body: @escaping @Sendable (any KeyValueReader) throws -> R
  ) async throws -> R {
    do {
      return try await threads.run(on: lane, caller: caller) { [self] in try reading(body) }
    } catch {
      throw MessagingError.engine(error)
    }
  }

  /// Writes, and waits without a thread until it is durable; many wait for one sync together.
  func write<R: Sendable>(
    _ priority: WritePriority = .interactive,
    _ body: @escaping @Sendable (any KeyValueGroup) throws -> R
  ) async throws -> R {
    do {
      return try await submit(priority, WriteResult(), body)
    } catch {
      throw MessagingError.engine(error)
    }
  }

  private func submit<R: Sendable>(
    _ priority: WritePriority,
    _ result: WriteResult<R>,
    _ body: @escaping @Sendable (any KeyValueGroup) throws -> R
  ) async throws -> R {
    try await withCheckedThrowingContinuation { continuation in
      submit(priority, result, body) { continuation.resume(with: $0) }
    }
  }

  private func submit<R: Sendable>(
    _ priority: WritePriority,
    _ result: WriteResult<R>,
    _ body: @escaping @Sendable (any KeyValueGroup) throws -> R,
    completion: @escaping @Sendable (Result<R, any Error>) -> Void
  ) {
    let write = QueuedWrite(priority) { group in
      result.set(try body(group))
    } completion: { outcome in
      completion(outcome.flatMap { result.taken })
    }
    engine.submit(write)
  }

  /// Changes deliveries, and notifies waiting callers once that is durable.
  func writeDeliveries<R: Sendable>(
    _ priority: WritePriority = .interactive,
    _ body: @escaping @Sendable (inout DeliveryBook) throws -> R
  ) async throws -> R {
    try await withCheckedThrowingContinuation { continuation in
      submitDeliveries(priority, body) { continuation.resume(with: $0) }
    }
  }

  /// `writeDeliveries` for callers without a task: the completion runs on the engine's writing
  /// thread, after the waiting callers' notifications and before any later write.
  ///
  /// Does not block.
  func submitDeliveries<R: Sendable>(
    _ priority: WritePriority = .interactive,
    _ body: @escaping @Sendable (inout DeliveryBook) throws -> R,
    completion: @escaping @Sendable (Result<R, any Error>) -> Void
  ) {
    let (now, memory) = (now, streams.memory)
    submit(priority, WriteResult<(R, DeliveryBook.Effects)>()) { group in
      var book = DeliveryBook(group, now: now, memory: memory)
      let value = try body(&book)
      return (value, try book.finish())
    } completion: { [self] outcome in
      switch outcome {
      case .success((let value, let effects)):
        if let memory { effects.remember(in: memory) }
        settle(effects)
        completion(.success(value))
      case .failure(let error): completion(.failure(MessagingError.engine(error)))
      }
    }
  }

  func settle(_ effects: DeliveryBook.Effects) {
    figures.note(effects.moves)
    latestDue.max(effects.due, ordering: .relaxed)
    for arrival in effects.arrivals { streams.deliver(arrival) }
    for channel in effects.lanes { signals.lanes(channel).signal() }
  }
}

/// The value that a write gives its caller.
private final class WriteResult<R: Sendable>: Sendable {
  private let value = Mutex<R?>(nil)

  func set(_ new: R) { value.withLock { $0 = new } }

  var taken: Result<R, any Error> {
    value.withLock { value in
      value.map(Result.success)
        ?? .failure(KeyValueError(.misuse, "a write ended without its result"))
    }
  }
}
