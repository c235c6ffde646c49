import Foundation

/// A callback of the app's.
///
/// Unchecked: apps' callbacks are not marked `@Sendable`. This one was handed over with the call, is never called
/// but on one serial queue, and the app must expect it there.
struct Callback<Value>: @unchecked Sendable {
  let call: (Value) -> Void
}

extension Auth {
  /// Does asynchronous work and calls back with its result on the queue of callbacks.
  func deliver<Value: Sendable>(
    to completion: ((Value?, (any Error)?) -> Void)?,
    _ work: @escaping @Sendable () async throws -> Value
  ) {
    let callback = Callback<Result<Value, any Error>> { result in
      switch result {
      case .success(let value): completion?(value, nil)
      case .failure(let error): completion?(nil, error)
      }
    }
    Task {
      let result: Result<Value, any Error>
      do { result = .success(try await work()) } catch { result = .failure(error) }
      callbackQueue.async { callback.call(result) }
    }
  }

  /// Does asynchronous work and calls back when it is done on the queue of callbacks.
  func deliver(
    to completion: (((any Error)?) -> Void)?,
    _ work: @escaping @Sendable () async throws -> Void
  ) {
    deliver(to: completion.map { completion in { (_: Void?, error) in completion(error) } }, work)
  }
}
