import KeyValueStore
import ObjectStorage

/// Blobs that records of the store name and that a blob store has, not the engine.
package struct BackedBlobs: Sendable {
  /// The name that manifests have: a base without it has none of these blobs.
  package let name: String
  /// The keys of the records.
  package let keys: KeyRange
  /// Reads a record of that range; nil for one whose bytes the engine has.
  package let read:
    @Sendable (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws -> BlobInFile?
  /// The bytes.
  package let store: any BlobStore

  /// Blobs of a range of keys.
  package init(
    _ name: String,
    keys: KeyRange,
    in store: any BlobStore,
    read: @escaping @Sendable (UnsafeRawBufferPointer, UnsafeRawBufferPointer) throws -> BlobInFile?
  ) {
    (self.name, self.keys, self.store, self.read) = (name, keys, store, read)
  }

  /// The blobs of Storage's objects.
  package static func objects(in store: any BlobStore) -> BackedBlobs {
    BackedBlobs("objects", keys: BlobInFile.keys, in: store) { try BlobInFile(key: $0, value: $1) }
  }
}

/// A blob, and the number of its kind.
struct BackedBlob: Sendable {
  let file: BlobInFile
  let kind: Int

  var id: BlobID { file.id }
}

extension [BackedBlobs] {
  /// The blob that a write of the store names; nil where it names none.
  func blob(_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws -> BackedBlob? {
    for (kind, blobs) in enumerated() where blobs.keys.contains(key) {
      return try blobs.read(key, value).map { BackedBlob(file: $0, kind: kind) }
    }
    return nil
  }

  /// The names of the kinds.
  var names: [String] { map(\.name) }
}
