import FirebaseCore
import Foundation

// The asynchronous methods with a callback. Each exists with a value or an error and with a result,
// but for `delete`: there a result would take the place of the error without a word.

extension StorageReference {
  /// Gets a URL with which anyone can read the object.
  public func downloadURL(completion: @escaping (URL?, (any Error)?) -> Void) {
    AppCallback(completion).deliver(on: storage.callbackQueue) { try await self.downloadURL() }
  }

  /// Gets a URL with which anyone can read the object.
  public func downloadURL(completion: @escaping (Result<URL, any Error>) -> Void) {
    AppCallback(completion).deliver(on: storage.callbackQueue) { try await self.downloadURL() }
  }

  /// Fetches the object's metadata.
  public func getMetadata(completion: @escaping (StorageMetadata?, (any Error)?) -> Void) {
    AppCallback(completion).deliver(on: storage.callbackQueue) { try await self.getMetadata() }
  }

  /// Fetches the object's metadata.
  public func getMetadata(completion: @escaping (Result<StorageMetadata, any Error>) -> Void) {
    AppCallback(completion).deliver(on: storage.callbackQueue) { try await self.getMetadata() }
  }

  /// Says something else of the object: only what changed.
  public func updateMetadata(
    _ metadata: StorageMetadata,
    completion: ((StorageMetadata?, (any Error)?) -> Void)?
  ) {
    AppCallback { (metadata: StorageMetadata?, error) in completion?(metadata, error) }
      .deliver(on: storage.callbackQueue) { try await self.updateMetadata(metadata) }
  }

  /// Says something else of the object: only what changed.
  public func updateMetadata(
    _ metadata: StorageMetadata,
    completion: @escaping (Result<StorageMetadata, any Error>) -> Void
  ) {
    AppCallback(completion).deliver(on: storage.callbackQueue) {
      try await self.updateMetadata(metadata)
    }
  }

  /// Deletes the object.
  public func delete(completion: (((any Error)?) -> Void)?) {
    AppCallback { (_: Void?, error) in completion?(error) }
      .deliver(on: storage.callbackQueue) { try await self.delete() }
  }

  /// All that is directly below.
  public func listAll(completion: @escaping (StorageListResult?, (any Error)?) -> Void) {
    AppCallback(completion).deliver(on: storage.callbackQueue) { try await self.listAll() }
  }

  /// All that is directly below.
  public func listAll(completion: @escaping (Result<StorageListResult, any Error>) -> Void) {
    AppCallback(completion).deliver(on: storage.callbackQueue) { try await self.listAll() }
  }

  /// The first items directly below.
  public func list(
    maxResults: Int64,
    completion: @escaping (StorageListResult?, (any Error)?) -> Void
  ) {
    AppCallback(completion).deliver(on: storage.callbackQueue) {
      try await self.list(maxResults: maxResults)
    }
  }

  /// The first items directly below.
  public func list(
    maxResults: Int64,
    completion: @escaping (Result<StorageListResult, any Error>) -> Void
  ) {
    AppCallback(completion).deliver(on: storage.callbackQueue) {
      try await self.list(maxResults: maxResults)
    }
  }

  /// The next items directly below.
  public func list(
    maxResults: Int64,
    pageToken: String,
    completion: @escaping (StorageListResult?, (any Error)?) -> Void
  ) {
    AppCallback(completion).deliver(on: storage.callbackQueue) {
      try await self.list(maxResults: maxResults, pageToken: pageToken)
    }
  }

  /// The next items directly below.
  public func list(
    maxResults: Int64,
    pageToken: String,
    completion: @escaping (Result<StorageListResult, any Error>) -> Void
  ) {
    AppCallback(completion).deliver(on: storage.callbackQueue) {
      try await self.list(maxResults: maxResults, pageToken: pageToken)
    }
  }
}
