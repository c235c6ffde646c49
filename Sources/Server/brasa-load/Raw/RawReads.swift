import Dispatch
import Synchronization

/// Reads of RocksDB alone on several threads for some seconds.
struct RawReads {
  private let threads: Int
  private let seed: UInt64
  private let duration: DurationOptions

  init(_ options: RawReadOptions, _ duration: DurationOptions) {
    threads = options.threads
    seed = options.seed
    self.duration = duration
  }

  /// Reads until the time is up, first to warm up; how long each read of the second part took.
  func measure(_ read: (inout RandomSource) throws -> Void) throws -> LatencyHistogram {
    _ = try run(seconds: duration.warmUp, seed: seed, read)
    return try run(seconds: duration.seconds, seed: seed &+ 1, read)
  }

  private func run(
    seconds: Int,
    seed: UInt64,
    _ read: (inout RandomSource) throws -> Void
  ) throws -> LatencyHistogram {
    let outcome = Mutex(Outcome())
    // Threads only borrow the closure, which touches nothing but its own random numbers.
    nonisolated(unsafe) let read = read
    DispatchQueue.concurrentPerform(iterations: threads) { thread in
      var random = RandomSource(seed: seed &* 64 &+ UInt64(thread))
      let result = Result { try Self.run(until: .now + .seconds(seconds)) { try read(&random) } }
      outcome.withLock { $0.add(result) }
    }
    return try outcome.withLock { try $0.latencies() }
  }

  private static func run(
    until end: ContinuousClock.Instant,
    _ read: () throws -> Void
  ) throws -> LatencyHistogram {
    var latencies = LatencyHistogram()
    var now = ContinuousClock.now
    while now < end {
      let begun = now
      try read()
      now = .now
      latencies.add(Int64((now - begun) / .nanoseconds(1)))
    }
    return latencies
  }

  /// The combined result of all threads.
  private struct Outcome {
    private var merged = LatencyHistogram()
    private var error: (any Error)?

    mutating func add(_ result: Result<LatencyHistogram, any Error>) {
      switch result {
      case .success(let latencies): merged.merge(latencies)
      case .failure(let failure): error = failure
      }
    }

    func latencies() throws -> LatencyHistogram {
      if let error { throw error }
      return merged
    }
  }
}
