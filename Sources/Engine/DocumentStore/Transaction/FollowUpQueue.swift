import BaseRuntime

/// Work that the store owes to others, done on a thread of its own, after a wait.
final class FollowUpQueue: Sendable {
  private let mailbox = BlockingQueue<@Sendable () -> Void>()

  /// Runs the work soon; after the store was closed, on the caller's thread.
  func run(_ work: @escaping @Sendable () -> Void) {
    if !mailbox.put(work) { work() }
  }

  /// Does the work of the queue until it is closed.
  func serve() {
    while let jobs = mailbox.take() {
      for job in jobs { job() }
    }
  }

  /// Ends `serve()` when the queue is empty.
  func close() { mailbox.close() }
}
