import Dispatch
import FirestoreModel

/// Waits on one thread for what another answers.
///
/// `@unchecked Sendable`: the result is written before the signal and read after it.
final class Answer<Value: Sendable>: @unchecked Sendable {
  private let arrived = DispatchSemaphore(value: 0)
  private var result: Result<Value, any Error>?

  /// Gives the answer; once.
  func set(_ answer: Result<Value, any Error>) {
    result = answer
    arrived.signal()
  }

  /// The answer, when it is there.
  func wait() throws -> Value {
    arrived.wait()
    guard let result else { throw FirestoreError(.internalError, "An answer has no content.") }
    return try result.get()
  }
}
