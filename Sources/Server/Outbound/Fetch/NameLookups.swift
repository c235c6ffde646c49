import NIOPosix
import Synchronization

/// Resolves names on threads of its own, each name once at a time, for callers that wait a bounded time.
///
/// The system's lookup blocks for as long as the servers of a name like. So lookups take no thread that others need, and a slow
/// name has one thread, however many ask for it. Any task may call.
final class NameLookups: Sendable {
  private struct Waiter {
    let continuation: CheckedContinuation<[NetworkAddress], any Error>
    let limit: Task<Void, Never>
  }

  private struct State {
    /// Callers by the name that is looked up for them, and by their numbers; a name without callers is still looked up.
    var waiting: [String: [Int: Waiter]] = [:]
    var last = 0
    /// The threads of lookups; nil until the first one.
    var pool: NIOThreadPool?
  }

  private let resolve: @Sendable (String) throws -> [NetworkAddress]
  private let limit: Duration
  private let state = Mutex(State())

  /// Names that are looked up at once, and those that wait for a thread with them.
  private static let bounds = (threads: 4, names: 256)

  /// Lookups by that call, which blocks; each caller waits for at most `limit`.
  init(
    limit: Duration = .seconds(5),
    _ resolve: @escaping @Sendable (String) throws -> [NetworkAddress]
  ) {
    self.resolve = resolve
    self.limit = limit
  }

  deinit { state.withLock { $0.pool }?.shutdownGracefully { _ in } }

  /// The addresses of a name, or of a number in place of one.
  func addresses(of name: String) async throws -> [NetworkAddress] {
    if let literal = NetworkAddress(name) { return [literal] }
    return try await withCheckedThrowingContinuation { continuation in
      let outcome = state.withLock { state -> (isNew: Bool, isFull: Bool) in
        let isNew = state.waiting[name] == nil
        guard !isNew || state.waiting.count < Self.bounds.names else { return (false, true) }
        state.last += 1
        let number = state.last
        let limit = Task { [weak self, limit] in
          guard (try? await Task.sleep(for: limit)) != nil else { return }
          self?.giveUp(number, on: name)
        }
        state.waiting[name, default: [:]][number] = Waiter(
          continuation: continuation,
          limit: limit
        )
        return (isNew, false)
      }
      if outcome.isFull {
        continuation.resume(
          throwing: OutboundError(.overloaded, "too many name lookups are in progress")
        )
      } else if outcome.isNew {
        lookUp(name)
      }
    }
  }

  private func lookUp(_ name: String) {
    pool().submit { [self] _ in
      let outcome = Result { try resolve(name) }
      let waiters = state.withLock { $0.waiting.removeValue(forKey: name) ?? [:] }
      for waiter in waiters.values {
        waiter.limit.cancel()
        waiter.continuation.resume(with: outcome)
      }
    }
  }

  private func pool() -> NIOThreadPool {
    state.withLock { state in
      if let pool = state.pool { return pool }
      let pool = NIOThreadPool(numberOfThreads: Self.bounds.threads)
      pool.start()
      state.pool = pool
      return pool
    }
  }

  private func giveUp(_ number: Int, on name: String) {
    let waiter = state.withLock { $0.waiting[name]?.removeValue(forKey: number) }
    waiter?.continuation.resume(
      throwing: OutboundError(.unreachable, "the name \(name) was not resolved in time")
    )
  }
}
