import Foundation

/// A bucket, or an object in it that may be there or not.
///
/// References are free to make, and may be used from any thread.
public final class StorageReference: NSObject, Sendable {
  /// The storage that made it.
  public let storage: Storage
  let path: StoragePath

  init(_ storage: Storage, _ path: StoragePath) {
    self.storage = storage
    self.path = path
  }

  /// The bucket's name.
  public var bucket: String { path.bucket }
  /// The path within the bucket; empty for the bucket itself.
  public var fullPath: String { path.object }
  /// The last part of the path.
  public var name: String { StoragePath.name(of: path.object) }

  /// The bucket itself.
  public func root() -> StorageReference { StorageReference(storage, path.root) }

  /// One level above; nil for the bucket itself.
  public func parent() -> StorageReference? { path.parent.map { StorageReference(storage, $0) } }

  /// Something below, by a path of one part or several.
  public func child(_ path: String) -> StorageReference {
    StorageReference(storage, self.path.child(path))
  }

  /// Another reference to the same object.
  public override func copy() -> Any { StorageReference(storage, path) }

  /// True for the same bucket and path, of equal ``Storage`` objects.
  public override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? StorageReference else { return false }
    return other.storage == storage && other.path == path
  }

  /// A hash of the bucket and the path.
  public override var hash: Int { path.hashValue }

  /// `gs://bucket/path`.
  public override var description: String { "gs://\(bucket)/\(fullPath)" }
}
