import Synchronization

/// Stores the results of deliveries.
///
/// Results that arrive during a write form the next write together, so that a message to many is
/// counted once for all of them.
///
/// Any task may call.
final class OutcomeWriter: Sendable {
  /// The outcome of a job.
  struct Outcome: Sendable {
    let job: LaneJob
    /// Nil where the delivery waits no more and only its entry goes.
    let state: Delivery.State?
    let reason: String?
  }

  private typealias Waiter = (outcome: Outcome, continuation: CheckedContinuation<Void, any Error>)

  private struct State {
    var waiting: [Waiter] = []
    var isWriting = false
  }

  private let service: PushService
  private let state = Mutex(State())

  init(_ service: PushService) { self.service = service }

  /// Keeps an outcome; durable when it returns.
  func keep(_ outcome: Outcome) async throws {
    try await withCheckedThrowingContinuation { continuation in
      let isFree = state.withLock { state in
        state.waiting.append((outcome, continuation))
        defer { state.isWriting = true }
        return !state.isWriting
      }
      if isFree { writeNext() }
    }
  }

  private func writeNext() {
    let batch = state.withLock { state in
      defer { state.waiting = [] }
      state.isWriting = !state.waiting.isEmpty
      return state.waiting
    }
    guard !batch.isEmpty else { return }
    write(batch) { result in
      if case .failure = result, batch.count > 1 {
        // A result that can't be stored fails alone.
        for waiter in batch { self.write([waiter]) { waiter.continuation.resume(with: $0) } }
      } else {
        for waiter in batch { waiter.continuation.resume(with: result) }
      }
      self.writeNext()
    }
  }

  private func write(
    _ batch: [Waiter],
    completion: @escaping @Sendable (Result<Void, any Error>) -> Void
  ) {
    let outcomes = batch.map(\.outcome)
    service.submitDeliveries { book in
      for outcome in outcomes { try Self.keep(outcome, &book) }
    } completion: {
      completion($0)
    }
  }

  private static func keep(_ outcome: Outcome, _ book: inout DeliveryBook) throws {
    let job = outcome.job
    if let state = outcome.state {
      try book.move(
        job.project,
        job.message,
        job.registration,
        to: state,
        reason: outcome.reason
      )
    }
    // The delivery may be gone, or have left this slot.
    try book.group.delete(job.key)
  }
}
