import FirebaseCore
import Foundation

// Uploads and downloads. Tasks are started at once.

extension StorageReference {
  // MARK: Uploads

  /// Uploads bytes.
  @discardableResult
  public func putData(
    _ uploadData: Data,
    metadata: StorageMetadata? = nil
  ) -> StorageUploadTask {
    upload(.data(uploadData), metadata, nil)
  }

  /// Uploads bytes and calls back when it is done.
  @discardableResult
  public func putData(
    _ uploadData: Data,
    metadata: StorageMetadata? = nil,
    completion: ((StorageMetadata?, (any Error)?) -> Void)?
  ) -> StorageUploadTask {
    upload(.data(uploadData), metadata, completion.map { AppCallback($0) })
  }

  /// Uploads bytes and calls back when it is done.
  @discardableResult
  public func putData(
    _ uploadData: Data,
    metadata: StorageMetadata? = nil,
    completion: @escaping (Result<StorageMetadata, any Error>) -> Void
  ) -> StorageUploadTask {
    upload(.data(uploadData), metadata, AppCallback(completion))
  }

  /// Uploads a file, which is read as its bytes are sent.
  @discardableResult
  public func putFile(from fileURL: URL, metadata: StorageMetadata? = nil) -> StorageUploadTask {
    upload(.file(fileURL), metadata, nil)
  }

  /// Uploads a file and calls back when it is done.
  @discardableResult
  public func putFile(
    from fileURL: URL,
    metadata: StorageMetadata? = nil,
    completion: ((StorageMetadata?, (any Error)?) -> Void)?
  ) -> StorageUploadTask {
    upload(.file(fileURL), metadata, completion.map { AppCallback($0) })
  }

  /// Uploads a file and calls back when it is done.
  @discardableResult
  public func putFile(
    from fileURL: URL,
    metadata: StorageMetadata? = nil,
    completion: @escaping (Result<StorageMetadata, any Error>) -> Void
  ) -> StorageUploadTask {
    upload(.file(fileURL), metadata, AppCallback(completion))
  }

  /// Uploads bytes and waits for the server to have them; the handler receives progress.
  public nonisolated(nonsending) func putDataAsync(
    _ uploadData: Data,
    metadata: StorageMetadata? = nil,
    onProgress: ((Progress?) -> Void)? = nil
  ) async throws -> StorageMetadata {
    try await finished(putData(uploadData, metadata: metadata), onProgress)
  }

  /// Uploads a file and waits for the server to have it; the handler receives progress.
  public nonisolated(nonsending) func putFileAsync(
    from url: URL,
    metadata: StorageMetadata? = nil,
    onProgress: ((Progress?) -> Void)? = nil
  ) async throws -> StorageMetadata {
    try await finished(putFile(from: url, metadata: metadata), onProgress)
  }

  private nonisolated(nonsending) func finished(
    _ task: StorageUploadTask,
    _ onProgress: ((Progress?) -> Void)?
  ) async throws -> StorageMetadata {
    let handler = onProgress.map { ProgressHandler($0, of: task) }
    defer { handler?.finish(task.snapshot) }
    guard let metadata = try await task.outcome().metadata else {
      throw StorageError.internalError(message: "The server's response has no metadata.").object
    }
    return metadata
  }

  private func upload(
    _ content: UploadContent,
    _ metadata: StorageMetadata?,
    _ callback: AppCallback<Result<StorageMetadata, any Error>>?
  ) -> StorageUploadTask {
    let own = (metadata?.copy() as? StorageMetadata) ?? StorageMetadata()
    let transfer = UploadTransfer(self, content, own)
    let task = StorageUploadTask(self, transfer, metadata: own)
    if let callback {
      task.callBack(callback) { outcome in
        guard let metadata = outcome.metadata else {
          throw StorageError.internalError(message: "The server's response has no metadata.").object
        }
        return metadata
      }
    }
    task.enqueue()
    return task
  }

  // MARK: Downloads

  /// Downloads the object into memory, if it has at most so many bytes.
  public func data(maxSize: Int64) async throws -> Data {
    let task = download(.memory(limit: maxSize))
    task.enqueue()
    return try await task.outcome().data ?? Data()
  }

  /// Downloads the object into memory, if it has at most so many bytes, and calls back.
  @discardableResult
  public func getData(
    maxSize: Int64,
    completion: @escaping (Data?, (any Error)?) -> Void
  ) -> StorageDownloadTask {
    getData(maxSize, AppCallback(completion))
  }

  /// Downloads the object into memory, if it has at most so many bytes, and calls back.
  @discardableResult
  public func getData(
    maxSize: Int64,
    completion: @escaping (Result<Data, any Error>) -> Void
  ) -> StorageDownloadTask {
    getData(maxSize, AppCallback(completion))
  }

  private func getData(
    _ limit: Int64,
    _ callback: AppCallback<Result<Data, any Error>>
  ) -> StorageDownloadTask {
    let task = download(.memory(limit: limit))
    task.callBack(callback) { $0.data ?? Data() }
    task.enqueue()
    return task
  }

  /// Downloads the object into a file, which has all of it or is as it was.
  @discardableResult
  public func write(toFile fileURL: URL) -> StorageDownloadTask {
    let task = download(to: fileURL)
    task.enqueue()
    return task
  }

  /// Downloads the object into a file, which has all of it or is as it was, and calls back.
  @discardableResult
  public func write(
    toFile fileURL: URL,
    completion: @escaping (URL?, (any Error)?) -> Void
  ) -> StorageDownloadTask {
    write(fileURL, AppCallback(completion))
  }

  /// Downloads the object into a file, which has all of it or is as it was, and calls back.
  @discardableResult
  public func write(
    toFile fileURL: URL,
    completion: @escaping (Result<URL, any Error>) -> Void
  ) -> StorageDownloadTask {
    write(fileURL, AppCallback(completion))
  }

  private func write(
    _ file: URL,
    _ callback: AppCallback<Result<URL, any Error>>
  ) -> StorageDownloadTask {
    let task = download(to: file)
    task.callBack(callback) { _ in file }
    task.enqueue()
    return task
  }

  /// Downloads the object into a file and waits for it; the handler receives progress.
  public nonisolated(nonsending) func writeAsync(
    toFile fileURL: URL,
    onProgress: ((Progress?) -> Void)? = nil
  ) async throws -> URL {
    let task = download(to: fileURL)
    let handler = onProgress.map { ProgressHandler($0, of: task) }
    defer { handler?.finish(task.snapshot) }
    task.enqueue()
    _ = try await task.outcome()
    return fileURL
  }

  private func download(to file: URL) -> StorageDownloadTask {
    let partial = file.deletingLastPathComponent()
      .appendingPathComponent(".\(file.lastPathComponent).\(UUID().uuidString).part")
    return download(.file(file, partial: partial))
  }

  private func download(_ sink: DownloadSink) -> StorageDownloadTask {
    StorageDownloadTask(self, DownloadTransfer(self, sink), metadata: nil)
  }
}

extension StorageTask {
  /// Calls back once, on the queue of callbacks, with what comes of the task.
  fileprivate func callBack<Value: Sendable>(
    _ callback: AppCallback<Result<Value, any Error>>,
    _ value: @escaping @Sendable (TransferOutcome) throws -> Value
  ) {
    let queue = reference.storage.callbackQueue
    whenFinished { outcome in
      let result = outcome.flatMap { outcome in Result { try value(outcome) } }
      queue.async { callback.call(result) }
    }
  }
}
