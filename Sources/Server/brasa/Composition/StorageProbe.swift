import Dispatch
import Gateway
import KeyValuePostgres
import KeyValueStore
import Logging
import ServiceLifecycle
import Synchronization

/// Writes a few bytes to an engine every five seconds, so that the health probes, a metric and the
/// log report failing writes even without other writers.
///
/// Each engine has one: the store (`storage`), and analytics' events (`events`).
///
/// It also writes, soon, when the engine has stopped, or runs again, because of what others wrote. A store
/// that stopped for want of file descriptors is taken up again by a probe as soon as there are some. A store
/// that another node has taken over ends the program.
final class StorageProbe: Service {
  private enum Outcome: Sendable, Equatable {
    case written
    case failed(KeyValueError.Code, cause: String)
    case stalled

    /// Returns true if another says the same, perhaps with other figures.
    func isLike(_ other: Outcome) -> Bool {
      if case .failed(let code, _) = self, case .failed(code, _) = other { return true }
      return self == other
    }
  }

  private let engine: any ServedEngine
  private let part: String
  private let health: ServerHealth
  private let log: Logger
  private let queue: DispatchQueue
  private let last = Mutex(Outcome.written)

  /// The pause between two writes while nothing changes.
  private static let pause = Duration.seconds(5)
  /// The pause between two checks for a change.
  private static let tick = Duration.milliseconds(500)
  /// A write that takes longer is reported as a failure.
  private static let timeout = Duration.seconds(10)

  /// A probe of the engine that holds a part of the server.
  init(
    _ engine: any ServedEngine,
    of part: String,
    health: ServerHealth,
    metrics: MetricsRegistry,
    log: Logger
  ) {
    self.engine = engine
    self.part = part
    queue = DispatchQueue(label: "\(part)-probe")
    self.health = health
    self.log = log
    metrics.addSource { [weak self] in
      guard let self else { return [] }
      let isWritable = last.withLock { $0 == .written }
      return [(name: "brasa_\(part)_writable", value: isWritable ? 1 : 0)]
    }
  }

  func run() async throws {
    let isSucceeded = try? await cancelWhenGracefulShutdown {
      var next = ContinuousClock.now + Self.pause
      while !self.isSucceeded {
        try await Task.sleep(for: Self.tick)
        guard ContinuousClock.now >= next || self.hasChanged else { continue }
        await self.probe()
        next = ContinuousClock.now + Self.pause
      }
      return true
    }
    if isSucceeded == true {
      throw KeyValueError(.stopped, "another node has taken over the store")
    }
  }

  /// True if another node has the store, so that this one is of no use until it is restarted.
  private var isSucceeded: Bool { (engine as? PostgresEngine)?.isStopped ?? false }

  /// True if the engine has stopped since a write succeeded, or runs again since one failed.
  private var hasChanged: Bool { engine.isStopped == last.withLock { $0 == .written } }

  private func probe() async {
    let outcome = await withStallReported { await self.write() }
    report(outcome)
  }

  /// Runs the write; reports a stall if it takes too long.
  private func withStallReported(_ write: @Sendable () async -> Outcome) async -> Outcome {
    async let _: Void = reportStall()
    return await write()
  }

  private func reportStall() async {
    guard (try? await Task.sleep(for: Self.timeout)) != nil else { return }
    report(.stalled)
  }

  /// Blocks a thread of its own, none that others wait for.
  private func write() async -> Outcome {
    await withCheckedContinuation { continuation in
      queue.async { [engine] in
        do {
          try engine.probe()
          continuation.resume(returning: .written)
        } catch {
          let known = error as? KeyValueError
          continuation.resume(
            returning: .failed(known?.code ?? .inputOutput, cause: known?.message ?? "\(error)")
          )
        }
      }
    }
  }

  private var shownPart: Logger.Metadata { ["part": "\(part)"] }

  private func report(_ outcome: Outcome) {
    let before = last.withLock { last in
      defer { last = outcome }
      return last
    }
    let isNew = !outcome.isLike(before)
    switch outcome {
    case .written:
      health.report(part, nil)
      if isNew { log.notice("writes to the store succeed again", metadata: shownPart) }
    case .failed(_, let cause):
      health.report(part, "writes fail")
      if isNew {
        let details = shownPart.merging(["error": "\(cause)"]) { $1 }
        log.error("writes to the store fail", metadata: details)
      }
    case .stalled:
      health.report(part, "writes take longer than ten seconds")
      if isNew {
        log.error("a write to the store has taken more than ten seconds", metadata: shownPart)
      }
    }
  }
}
