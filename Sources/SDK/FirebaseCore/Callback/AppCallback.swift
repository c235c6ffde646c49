import Dispatch

/// A callback of the app's.
///
/// Unchecked: apps' callbacks are not marked `@Sendable`. This one was handed over with the call, is never called
/// but on one queue, and the app must expect it there.
package struct AppCallback<Value>: @unchecked Sendable {
  /// Calls the app; only on the queue where the app expects it.
  package let call: (Value) -> Void

  /// A callback that takes one value.
  package init(_ call: @escaping (Value) -> Void) { self.call = call }

  /// A callback with a value or an error, as one that takes a result.
  package init<Success>(_ completion: @escaping (Success?, (any Error)?) -> Void)
  where Value == Result<Success, any Error> {
    self.init { result in
      switch result {
      case .success(let value): completion(value, nil)
      case .failure(let error): completion(nil, error)
      }
    }
  }

  /// Does asynchronous work and calls back with its result on the queue.
  package func deliver<Success: Sendable>(
    on queue: DispatchQueue,
    _ work: @escaping @Sendable () async throws -> Success
  ) where Value == Result<Success, any Error> {
    Task {
      let result: Result<Success, any Error>
      do { result = .success(try await work()) } catch { result = .failure(error) }
      queue.async { call(result) }
    }
  }
}
