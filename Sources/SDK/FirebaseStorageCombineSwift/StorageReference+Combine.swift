#if canImport(Combine)
import Combine
import FirebaseCore
import FirebaseStorage
import Foundation

// Futures of the methods with a callback; each starts at once.

extension StorageReference {
  /// Downloads the object into memory, if it has at most so many bytes.
  @discardableResult
  public func getData(maxSize size: Int64) -> Future<Data, any Error> {
    Future(ofValue: { [self] in getData(maxSize: size, completion: $0) })
  }

  /// Uploads bytes.
  @discardableResult
  public func putData(
    _ uploadData: Data,
    metadata: StorageMetadata? = nil
  ) -> Future<StorageMetadata, any Error> {
    Future(ofValue: { [self] in putData(uploadData, metadata: metadata, completion: $0) })
  }

  /// Uploads a file, which is read as its bytes are sent.
  @discardableResult
  public func putFile(
    from fileURL: URL,
    metadata: StorageMetadata? = nil
  ) -> Future<StorageMetadata, any Error> {
    Future(ofValue: { [self] in putFile(from: fileURL, metadata: metadata, completion: $0) })
  }

  /// Downloads the object into a file, which has all of it or is as it was.
  @discardableResult
  public func write(toFile fileURL: URL) -> Future<URL, any Error> {
    Future(ofValue: { [self] in write(toFile: fileURL, completion: $0) })
  }

  /// The address from which anyone with it can download the object.
  @discardableResult
  public func downloadURL() -> Future<URL, any Error> {
    Future(ofValue: { [self] in downloadURL(completion: $0) })
  }

  /// The object's metadata.
  @discardableResult
  public func getMetadata() -> Future<StorageMetadata, any Error> {
    Future(ofValue: { [self] in getMetadata(completion: $0) })
  }

  /// Changes the object's metadata.
  @discardableResult
  public func updateMetadata(_ metadata: StorageMetadata) -> Future<StorageMetadata, any Error> {
    Future(ofValue: { [self] in updateMetadata(metadata, completion: $0) })
  }

  /// Lists all that is below the reference.
  @discardableResult
  public func listAll() -> Future<StorageListResult, any Error> {
    Future(ofValue: { [self] in listAll(completion: $0) })
  }

  /// Lists a page of the items below the reference.
  @discardableResult
  public func list(maxResults: Int64) -> Future<StorageListResult, any Error> {
    Future(ofValue: { [self] in list(maxResults: maxResults, completion: $0) })
  }

  /// Lists the page behind another.
  @discardableResult
  public func list(maxResults: Int64, pageToken: String) -> Future<StorageListResult, any Error> {
    Future(ofValue: { [self] in list(maxResults: maxResults, pageToken: pageToken, completion: $0) }
    )
  }

  /// Deletes the object.
  @discardableResult
  public func delete() -> Future<Void, any Error> {
    Future(ofEnd: { [self] in delete(completion: $0) })
  }
}
#endif
