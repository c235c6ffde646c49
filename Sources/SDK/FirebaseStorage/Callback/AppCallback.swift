import Foundation

/// A callback of the app's.
///
/// Unchecked: apps' callbacks are not marked `@Sendable`. This one was handed over with the call, is never called
/// but on one serial queue, and the app must expect it there.
struct AppCallback<Value>: @unchecked Sendable {
  let call: (Value) -> Void
}

extension Storage {
  /// Does asynchronous work and calls back with its result on the queue of callbacks.
  func deliver<Value: Sendable>(
    to callback: AppCallback<Result<Value, any Error>>,
    _ work: @escaping @Sendable () async throws -> Value
  ) {
    Task {
      let result: Result<Value, any Error>
      do { result = .success(try await work()) } catch { result = .failure(error) }
      callbackQueue.async { callback.call(result) }
    }
  }
}

/// A callback with a value or an error, as one that takes a result.
func appCallback<Value>(
  _ completion: @escaping (Value?, (any Error)?) -> Void
) -> AppCallback<Result<Value, any Error>> {
  AppCallback { result in
    switch result {
    case .success(let value): completion(value, nil)
    case .failure(let error): completion(nil, error)
    }
  }
}
