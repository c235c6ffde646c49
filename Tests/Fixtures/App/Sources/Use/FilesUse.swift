// swift-format-ignore-file: NeverForceUnwrap
// Apps force unwrap; this is their code.

import Firebase
import FirebaseRemoteConfigSwift
import FirebaseStorage
import FirebaseStorageSwift
import Foundation

// Files in the way of view models with callbacks, and with `async`.

class ProductImageViewModel: ObservableObject {
  @Published var isSaving = false

  func deleteImage(imageId: String) {
    let storage = Storage.storage()
    let storageRef = storage.reference()
    let imageRef = storageRef.child("/users/\(Auth.auth().currentUser!.uid)/\(imageId)")
    imageRef.delete { error in
      if error != nil {
        print("Failed to delete the product image")
      } else {
        print("The product image has been deleted")
      }
    }
  }

  func saveProductImage(imageData: Data, imageId: String, completion: @escaping (Bool) -> Void) {
    let storageRef = Storage.storage().reference()
    let imageRef = storageRef.child("/users/\(Auth.auth().currentUser!.uid)/\(imageId)")
    imageRef.putData(imageData, metadata: nil) { (metadata, error) in
      completion(metadata != nil)
    }
  }

  func showImage(at url: String, completion: @escaping (Data?) -> Void) {
    let reference = Storage.storage().reference(forURL: url)
    reference.getData(maxSize: 1 << 20) { data, error in completion(data) }
    reference.downloadURL { url, error in print(url?.absoluteString ?? "none") }
    reference.downloadURL { (result: Result<URL, Error>) in print(result) }
    reference.getMetadata { metadata, error in
      guard let metadata = metadata, error == nil else { return }
      print(metadata.size, metadata.updated ?? Date(), metadata.md5Hash ?? "")
    }
    reference.parent()?.listAll { result, error in
      for item in result?.items ?? [] { print(item.fullPath, item.bucket, item.name) }
      for prefix in result?.prefixes ?? [] { print(prefix.root().fullPath) }
    }
  }

  func upload(file: URL) -> StorageUploadTask {
    let metadata = StorageMetadata()
    metadata.contentType = "image/jpeg"
    metadata.customMetadata = ["from": "camera"]
    let task = Storage.storage().reference(withPath: "a.jpg").putFile(
      from: file,
      metadata: metadata
    )
    task.observe(.progress) { snapshot in
      print(100.0 * Double(snapshot.progress!.completedUnitCount))
    }
    task.observe(.failure) { snapshot in
      guard let error = snapshot.error as NSError? else { return }
      switch StorageErrorCode(rawValue: error.code) {
      case .objectNotFound, .unauthorized, .cancelled: print(error.localizedDescription)
      default: print(error.userInfo)
      }
    }
    let handle = task.observe(.success) { snapshot in
      snapshot.task.snapshot.reference.delete(completion: nil)
    }
    task.removeObserver(withHandle: handle)
    task.removeAllObservers(for: .progress)
    task.pause()
    task.resume()
    return task
  }
}

/// Files with `async`.
public func files(_ file: URL) async throws -> [String] {
  let storage = Storage.storage(url: "gs://shop.appspot.com")
  storage.maxUploadRetryTime = 60
  storage.maxDownloadRetryTime = 60
  storage.maxOperationRetryTime = 10
  let reference = storage.reference().child("a/b.png")
  let stored = try await reference.putFileAsync(from: file) { print($0?.fractionCompleted ?? 0) }
  stored.cacheControl = "public, max-age=60"
  _ = try await reference.updateMetadata(stored)
  _ = try await reference.putDataAsync(Data())
  _ = try await reference.data(maxSize: 1 << 20)
  _ = try await reference.writeAsync(toFile: file)
  let url = try await reference.downloadURL()
  let same = try storage.reference(for: url)
  do {
    try await same.delete()
  } catch StorageError.objectNotFound {
    print("gone")
  }
  let page = try await storage.reference().list(maxResults: 100)
  if let token = page.pageToken {
    _ = try await storage.reference().list(maxResults: 100, pageToken: token)
  }
  return try await storage.reference().listAll().items.map(\.name)
}
