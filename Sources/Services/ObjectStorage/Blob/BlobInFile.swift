import KeyValueStore

/// A blob that objects name and whose bytes the blob store has, not the engine.
package struct BlobInFile: Sendable, Hashable {
  /// The blob's name.
  package let id: BlobID
  /// Its length in bytes.
  package let size: Int64

  /// The keys of all blobs.
  package static let keys = KeyRange(prefix: StorageKey.prefix(.blob))

  /// Reads a key of that range and its value; nil for a blob whose bytes the engine has.
  package init?(key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) throws {
    let prefix = Self.keys.lower.count
    guard key.count > prefix, let id = BlobID(Array(key[prefix...])) else { return nil }
    let references = try BlobReferences(RecordReader(Array(value)))
    guard !references.isInEngine else { return nil }
    (self.id, size) = (id, references.size)
  }
}
