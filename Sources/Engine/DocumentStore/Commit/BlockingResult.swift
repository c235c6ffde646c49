import BaseStatus
import Dispatch
import FirestoreModel

/// A result that one thread waits for and another gives.
///
/// `@unchecked Sendable`: the result is written before the signal and read after it.
package final class BlockingResult<Value: Sendable>: @unchecked Sendable {
  private let arrived = DispatchSemaphore(value: 0)
  private var result: Result<Value, any Error>?

  /// A pending result.
  package init() {}

  /// Gives the result; once.
  package func set(_ result: Result<Value, any Error>) {
    self.result = result
    arrived.signal()
  }

  /// Returns or throws the result when it is there; once.
  package func wait() throws -> Value {
    arrived.wait()
    guard let result else { throw ServiceError(.internalError, "A result has no content.") }
    return try result.get()
  }
}
