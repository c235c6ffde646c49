import KeyValueStore

/// A blob whose bytes the blob store has, not the engine, as a record of the engine names it.
package struct BlobInFile: Sendable, Hashable {
  /// The blob's name.
  package let id: BlobID
  /// Its length in bytes.
  package let size: Int64

  /// The keys of all blobs of objects.
  package static let keys = KeyRange(prefix: StorageKey.prefix(.blob))

  /// A blob of that length.
  package init(id: BlobID, size: Int64) {
    (self.id, self.size) = (id, size)
  }

  /// Reads a key of that range and its value; nil for a blob whose bytes the engine has.
  package init?(key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) throws {
    let prefix = Self.keys.lower.count
    guard key.count > prefix, let id = BlobID(Array(key[prefix...])) else { return nil }
    let references = try BlobReferences(RecordReader(Array(value)))
    guard !references.isInEngine else { return nil }
    (self.id, size) = (id, references.size)
  }
}
