import BaseStatus
import Dispatch
import ObjectStorage
import Synchronization

/// Lets a thread that may block wait for asynchronous work.
package enum Waiting {
  /// Runs the work and returns what it gives; blocks.
  package static func run<R: Sendable>(_ work: @escaping @Sendable () async throws -> R) throws -> R
  {
    let outcome = Outcome<R>()
    Task { outcome.settle(await Result(catching: work)) }
    return try outcome.wait()
  }

  /// The same with the storage's errors as an operator's.
  static func translating<R: Sendable>(
    _ work: @escaping @Sendable () async throws -> R
  ) throws -> R {
    do {
      return try run(work)
    } catch let error as StorageError {
      throw ServiceError(error)
    }
  }

  private final class Outcome<R: Sendable>: Sendable {
    private let result = Mutex<Result<R, any Error>?>(nil)
    private let done = DispatchSemaphore(value: 0)

    func settle(_ outcome: Result<R, any Error>) {
      result.withLock { $0 = outcome }
      done.signal()
    }

    func wait() throws -> R {
      done.wait()
      guard let outcome = result.withLock({ $0 }) else {
        preconditionFailure("work that is done has a result")
      }
      return try outcome.get()
    }
  }
}

extension Result where Failure == any Error {
  fileprivate init(catching work: @Sendable () async throws -> Success) async {
    do {
      self = .success(try await work())
    } catch {
      self = .failure(error)
    }
  }
}
