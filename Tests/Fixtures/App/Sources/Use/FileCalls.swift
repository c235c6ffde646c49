import FirebaseCore
import FirebaseStorage
import Foundation

// What the other file of files leaves out.

/// Every way to a storage and a reference.
public func storages(_ app: FirebaseApp) -> StorageReference {
  let storage = Storage.storage(app: app, url: "gs://shop.appspot.com")
  storage.uploadChunkSizeBytes = 1_048_576
  storage.callbackQueue = .main
  storage.useEmulator(withHost: "localhost", port: 9_199)
  print(Storage.storage(app: app).app.name, storage.maxUploadRetryTime)
  let root: StorageReference = storage.reference().root()
  print(root.storage == storage, root.parent() ?? "none", root == storage.reference())
  return storage.reference(withPath: "a").child("b")
}

/// Every call with a result.
public func results(_ reference: StorageReference, _ file: URL, _ metadata: StorageMetadata) {
  let url: (Result<URL, Error>) -> Void = { print($0) }
  let data: (Result<Data, Error>) -> Void = { print($0) }
  let stored: (Result<StorageMetadata, Error>) -> Void = { print($0) }
  let listed: (Result<StorageListResult, Error>) -> Void = { print($0) }
  reference.downloadURL(completion: url)
  reference.getMetadata(completion: stored)
  reference.updateMetadata(metadata, completion: stored)
  reference.updateMetadata(metadata) { metadata, error in print(metadata ?? "", error ?? "") }
  reference.listAll(completion: listed)
  reference.list(maxResults: 10, completion: listed)
  reference.list(maxResults: 10, pageToken: "next", completion: listed)
  reference.list(maxResults: 10) { result, _ in print(result?.items ?? []) }
  reference.list(maxResults: 10, pageToken: "next") { result, _ in print(result?.prefixes ?? []) }
  reference.getData(maxSize: 1, completion: data)
  reference.putData(Data())
  reference.putData(Data(), metadata: metadata, completion: stored)
  reference.putFile(from: file, metadata: metadata, completion: stored)
  reference.putFile(from: file, metadata: metadata) { metadata, error in
    print(metadata ?? "", error ?? "")
  }
  reference.write(toFile: file, completion: url)
  reference.write(toFile: file) { url, error in print(url ?? "", error ?? "") }
}

/// Every part of metadata.
public func describe(_ metadata: StorageMetadata) -> [String: Any] {
  metadata.contentDisposition = "inline"
  metadata.contentEncoding = "gzip"
  metadata.contentLanguage = "pt"
  print(metadata.bucket, metadata.name ?? "", metadata.path ?? "", metadata.generation)
  print(metadata.metageneration, metadata.timeCreated ?? Date(), metadata.isFile)
  print(metadata.isFolder, StorageMetadata(dictionary: ["name": "a"]))
  return metadata.dictionaryRepresentation()
}

/// Every part of a task.
public func follow(_ reference: StorageReference, to file: URL) -> StorageDownloadTask {
  let task: StorageDownloadTask = reference.write(toFile: file)
  for status in [StorageTaskStatus.progress, .pause, .resume, .success, .failure] {
    task.observe(status) { (snapshot: StorageTaskSnapshot) in
      print(snapshot.status == status, snapshot.task, snapshot.reference, snapshot.metadata ?? "")
      print(snapshot.progress?.totalUnitCount ?? 0, snapshot.error ?? "")
    }
  }
  let observable: StorageObservableTask = task
  observable.removeAllObservers()
  let managed: StorageTaskManagement = task
  managed.enqueue()
  task.pause()
  task.resume()
  task.cancel()
  return task
}

/// Every error.
public func text(of error: any Error) -> String {
  guard (error as NSError).domain == StorageErrorDomain,
    let code = StorageErrorCode(rawValue: (error as NSError).code)
  else { return error.localizedDescription }
  switch code {
  case .unknown, .objectNotFound, .bucketNotFound, .projectNotFound: return "gone"
  case .quotaExceeded, .unauthenticated, .unauthorized: return "refused"
  case .retryLimitExceeded, .nonMatchingChecksum, .downloadSizeExceeded, .cancelled: return "again"
  case .invalidArgument, .bucketMismatch, .internalError, .pathError: return "wrong"
  @unknown default: return "new"
  }
}
