import Dispatch
import FirebaseCore
import FirestoreSync

/// An app's value that goes from one thread to another and is used by one of them at a time.
///
/// Unchecked: the maker of one lets go of the value.
struct Transferred<Value>: @unchecked Sendable {
  let value: Value
}

extension Firestore {
  /// Returns a function that calls a completion on the callbacks' queue; it does nothing without a
  /// completion.
  func deliver(
    to completion: (((any Error)?) -> Void)?
  ) -> @Sendable (FirestoreFailure?) -> Void {
    guard let completion else { return { _ in } }
    let callback = AppCallback(completion)
    let queue = callbackQueue
    return { failure in
      let error = failure.map { FirestoreErrorCode.error($0) }
      queue.async { callback.call(error) }
    }
  }

  /// The same for calls with a result.
  func deliver<Value: Sendable>(
    to completion: @escaping (Value?, (any Error)?) -> Void
  ) -> @Sendable (Result<Value, any Error>) -> Void {
    let callback = AppCallback(completion)
    let queue = callbackQueue
    return { result in queue.async { callback.call(result) } }
  }

  /// Waits for a call that completes on the client's queue.
  nonisolated(nonsending) func completion(
    of call: (@escaping @Sendable (FirestoreFailure?) -> Void) -> Void
  ) async throws {
    try await withCheckedThrowingContinuation {
      (continuation: CheckedContinuation<Void, any Error>) in
      call { failure in
        if let failure {
          continuation.resume(throwing: FirestoreErrorCode.error(failure))
        } else {
          continuation.resume()
        }
      }
    }
  }

  /// The same for calls with a result.
  nonisolated(nonsending) func result<Value: Sendable>(
    of call: (@escaping @Sendable (Result<Value, any Error>) -> Void) -> Void
  ) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
      call { continuation.resume(with: $0) }
    }
  }
}
