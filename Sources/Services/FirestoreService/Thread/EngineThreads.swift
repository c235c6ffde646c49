import DocumentStore
import FirestoreModel

/// A fixed set of threads for blocking work on the storage engine.
///
/// Jobs start in the order in which they were submitted. The queue is bounded: what does not fit is
/// refused, so that overload shows as RESOURCE_EXHAUSTED and not as memory. Any thread may submit.
package final class EngineThreads: Sendable {
  private let queue: Mailbox<@Sendable () -> Void>
  private let threads: [StoreThread]

  /// Starts the threads.
  ///
  /// At most `capacity` jobs wait at once.
  package init(count: Int, capacity: Int = 16_384) {
    let queue = Mailbox<@Sendable () -> Void>(capacity: capacity)
    self.queue = queue
    threads = (0..<count).map { _ in
      StoreThread {
        while let job = queue.takeOne() { job() }
      }
    }
  }

  /// Queues a job; false when the queue is full or the threads were stopped.
  package func submit(_ job: @escaping @Sendable () -> Void) -> Bool { queue.put(job) }

  /// Runs a job and returns what it does; refuses it when the queue is full.
  package func run<Answer: Sendable>(
    _ job: @escaping @Sendable () throws -> Answer
  ) async throws -> Answer {
    try await withCheckedThrowingContinuation { continuation in
      let accepted = submit { continuation.resume(with: Result { try job() }) }
      if !accepted { continuation.resume(throwing: Self.overloaded) }
    }
  }

  /// What a client is told whose job was refused.
  static let overloaded = FirestoreError(
    .resourceExhausted,
    "The server is overloaded. Try again later."
  )

  /// The number of jobs that wait for a thread.
  package var waiting: Int { queue.count }

  /// Lets the queued jobs run, then ends the threads and returns.
  package func stop() {
    queue.close()
    for thread in threads { thread.join() }
  }
}
