import Dispatch
import ObjectStorage
import ServiceModule
import Synchronization

extension ServiceStorage {
  /// Buckets and objects, as the commands verify them.
  package static func files(_ storage: ObjectStorage) -> ServiceStorage {
    var stored = ServiceStorage("storage")
    stored.check = { _, tell in try verify(storage, tell) }
    return stored
  }

  /// Goes over all objects, a batch at a time; the calling thread waits for each.
  private static func verify(
    _ storage: ObjectStorage,
    _ tell: (StorageEvent) throws -> Void
  ) throws -> [StorageCount] {
    var (buckets, objects) = (0, 0)
    var position: ObjectStorage.VerificationPosition?
    repeat {
      let from = position
      let (found, next) = try Waiting.run { try await storage.verify(from: from) }
      buckets += found.buckets
      objects += found.objects
      for difference in found.differences { try tell(.difference(difference)) }
      try tell(.progress(done: objects, total: nil, unit: "files"))
      position = next
    } while position != nil
    guard buckets > 0 else { return [] }
    return [StorageCount(buckets, "bucket"), StorageCount(objects, "file")]
  }
}

/// Lets a thread that may block wait for asynchronous work.
private enum Waiting {
  static func run<R: Sendable>(_ work: @escaping @Sendable () async throws -> R) throws -> R {
    let outcome = Outcome<R>()
    Task { outcome.settle(await Result(catching: work)) }
    return try outcome.wait()
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
