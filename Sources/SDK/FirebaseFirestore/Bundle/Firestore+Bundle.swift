import FirebaseCore
import FirestoreClient
import FirestoreModel
import FirestoreSync
import Foundation

// Bundles of documents and named queries.

extension Firestore {
  /// Loads a bundle into the cache.
  @discardableResult
  public func loadBundle(_ bundleData: Data) -> LoadBundleTask {
    loadBundle(bundleData, completion: nil)
  }

  /// Loads a bundle into the cache.
  @discardableResult
  public func loadBundle(
    _ bundleData: Data,
    completion: ((LoadBundleTaskProgress?, (any Error)?) -> Void)?
  ) -> LoadBundleTask {
    load(.success([UInt8](bundleData)), completion.map { deliver(to: $0) })
  }

  /// Loads a bundle into the cache.
  @discardableResult
  public func loadBundle(_ bundleData: Data) async throws -> LoadBundleTaskProgress {
    try await result { load(.success([UInt8](bundleData)), $0) }
  }

  /// Loads a bundle into the cache.
  @discardableResult
  public func loadBundle(_ bundleStream: InputStream) -> LoadBundleTask {
    loadBundle(bundleStream, completion: nil)
  }

  /// Loads a bundle into the cache.
  @discardableResult
  public func loadBundle(
    _ bundleStream: InputStream,
    completion: ((LoadBundleTaskProgress?, (any Error)?) -> Void)?
  ) -> LoadBundleTask {
    load(Self.read(bundleStream), completion.map { deliver(to: $0) })
  }

  /// Loads a bundle into the cache.
  @discardableResult
  public nonisolated(nonsending) func loadBundle(
    _ bundleStream: InputStream
  ) async throws -> LoadBundleTaskProgress {
    let bytes = Self.read(bundleStream)
    return try await result { load(bytes, $0) }
  }

  @discardableResult
  private func load(
    _ bundle: Result<[UInt8], any Error>,
    _ completion: (@Sendable (Result<LoadBundleTaskProgress, any Error>) -> Void)?
  ) -> LoadBundleTask {
    let task = LoadBundleTask(queue: callbackQueue)
    let finish: @Sendable (Result<LoadBundleTaskProgress, any Error>, Int) -> Void = {
      result,
      size in
      switch result {
      case .success(let progress): task.tell(progress)
      case .failure: task.tell(LoadBundleTaskProgress(failedWith: size))
      }
      completion?(result)
    }
    switch bundle {
    case .failure(let error): finish(.failure(FirestoreErrorCode.app(error)), 0)
    case .success(let bytes) where bytes.isEmpty:
      finish(.failure(FirestoreErrorCode.error(.unknown, "The bundle is empty.")), 0)
    case .success(let bytes):
      client.perform { client in
        client.loadBundle(bytes) { progress in
          task.tell(LoadBundleTaskProgress(progress, .inProgress))
        } completion: { result in
          finish(
            result.map { LoadBundleTaskProgress($0, .success) }
              .mapError { FirestoreErrorCode.error($0) as any Error },
            bytes.count
          )
        }
      }
    }
    return task
  }

  static func read(_ stream: InputStream) -> Result<[UInt8], any Error> {
    stream.open()
    defer { stream.close() }
    var bytes: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 64 << 10)
    while true {
      let count = stream.read(&part, maxLength: part.count)
      if count == 0 { return .success(bytes) }
      guard count > 0 else {
        return .failure(
          stream.streamError
            ?? FirestoreErrorCode.error(.dataLoss, "The stream of the bundle can't be read.")
        )
      }
      bytes += part[..<count]
    }
  }

  /// The query that a loaded bundle named; nil where none did.
  public func getQuery(named name: String, completion: @escaping (Query?) -> Void) {
    let callback = AppCallback(completion)
    let queue = callbackQueue
    client.perform { [self] client in
      let query = self.query(named: name, client)
      queue.async { callback.call(query) }
    }
  }

  /// The query that a loaded bundle named; nil where none did.
  public func getQuery(named name: String) async -> Query? {
    let client = client
    return await withCheckedContinuation { continuation in
      client.perform { [self] client in
        continuation.resume(returning: query(named: name, client))
      }
    }
  }

  private func query(named name: String, _ client: isolated SyncClient) -> Query? {
    do {
      return try client.namedQuery(name).map { named in
        Query(self, named.query, keepsLast: named.limitType == .last)
      }
    } catch {
      return nil
    }
  }
}
