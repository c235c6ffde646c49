import Access
import KeyValueStore

// Reads that never wait: for threads that must not block, as those of event loops.

extension ObjectStorage {
  /// A bucket that is there, with the permit that is given out for it; nil where only the disk knows of it.
  package func bucketInMemory(
    _ name: BucketName,
    _ permit: (BucketID) throws -> BucketPermit
  ) throws -> Bucket? {
    let key = StorageKey.bucket(name)
    guard case .found(let record) = try engine.get(key, cachedOnly: true) else { return nil }
    let stored = try memory.bucket(name, key, record)
    return Bucket(self, stored, try permit(BucketID(project: stored.project, name: name.text)))
  }
}

extension Bucket {
  /// The live object of a name with its bytes.
  ///
  /// Nil where it takes more than memory to have both, and to know that the permit's holder may get them. Throws what
  /// the preconditions say.
  package func objectInMemory(
    _ name: ObjectName,
    _ preconditions: ObjectPreconditions = ObjectPreconditions()
  ) throws -> RememberedObject? {
    let key = StorageKey.object(stored.number, name)
    guard case .found(let record) = try storage.engine.get(key, cachedOnly: true),
      let found = storage.memory.object(key, record),
      permit.allowsInMemory(.get, name.text, stored: found.resource)
    else { return nil }
    try preconditions.checkRead(found.object)
    return found
  }
}
