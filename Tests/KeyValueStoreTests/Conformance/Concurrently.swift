import Dispatch
import Synchronization

/// Runs the body on that many threads at once and throws the first error of any.
func concurrently(_ threads: Int, _ body: @Sendable (Int) throws -> Void) throws {
  let failure = Mutex<(any Error)?>(nil)
  DispatchQueue.concurrentPerform(iterations: threads) { thread in
    do {
      try body(thread)
    } catch {
      failure.withLock { $0 = $0 ?? error }
    }
  }
  if let error = failure.withLock({ $0 }) { throw error }
}
