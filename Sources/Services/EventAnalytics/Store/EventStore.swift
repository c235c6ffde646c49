import BaseStatus
import KeyValueStore
import Synchronization

extension KeyValueEngine {
  /// Runs `body` as a write of a group and returns when the group is durable, without a thread that waits.
  func commit<R: Sendable>(
    _ body: @escaping @Sendable (any KeyValueGroup) throws -> R
  ) async throws -> R {
    let outcome = WriteOutcome<R>()
    return try await withCheckedThrowingContinuation { continuation in
      submit(
        QueuedWrite(.interactive) { group in
          let value = try body(group)
          outcome.value.withLock { $0 = value }
        } completion: { result in
          continuation.resume(with: result.flatMap { outcome.result })
        }
      )
    }
  }
}

/// The value that a write's body returned, until its group is durable.
private final class WriteOutcome<R: Sendable>: Sendable {
  let value = Mutex<R?>(nil)

  var result: Result<R, any Error> {
    value.withLock { value in
      value.map(Result.success)
        ?? .failure(KeyValueError(.misuse, "a write that went well has no result"))
    }
  }
}

extension ServiceError {
  /// Returns the error for clients when the engine fails; the cause is for the log.
  static func analytics(_ error: any Error) -> ServiceError {
    if let known = error as? ServiceError { return known }
    if let cause = error as? KeyValueError, cause.code == .corruption {
      return ServiceError(.dataLoss, "Stored data is damaged.", cause: cause)
    }
    return ServiceError(.unavailable, KeyValueError.textForClients(error), cause: error)
  }
}
