import Access

// Reads that never wait: for threads that must not block, as those of event loops.

extension ObjectStorage {
  /// The live object of a name with its bytes, for the holder of the permit that is given out for its bucket.
  ///
  /// Nil where it takes more than memory to have both, and to know that the permit's holder may get them. Throws what
  /// the preconditions say.
  package func objectInMemory(
    _ name: ObjectName,
    ofBucket bucket: BucketName,
    _ preconditions: ObjectPreconditions = ObjectPreconditions(),
    _ permit: (BucketID) throws -> BucketPermit
  ) throws -> RememberedObject? {
    let mark = engine.stateMark
    guard let bucket = try bucketInMemory(bucket, mark), bucket.isRightful else { return nil }
    let permit = try permit(bucket.id)
    let key = StorageKey.object(bucket.number, name)
    guard let found = try confirmed(memory.object(key), key, mark),
      permit.allowsReadInMemory(
        name.text,
        stored: found.resource,
        remembering: found.allowedRead
      )
    else { return nil }
    try preconditions.checkRead(found.object)
    return found
  }

  private func bucketInMemory(_ name: BucketName, _ mark: Int?) throws -> RememberedBucket? {
    let key = StorageKey.bucket(name)
    if let known = try confirmed(memory.bucket(key), key, mark) { return known }
    guard case .found(let record) = try engine.get(key, cachedOnly: true) else { return nil }
    return try memory.keep(name, key, record)
  }

  /// Returns the memory, if the store has the record that it was made of.
  ///
  /// - Parameter mark: That of the store's state, taken before; while there is the same the store
  ///   need not be asked again.
  private func confirmed<Remembered: RememberedRecord>(
    _ remembered: Remembered?,
    _ key: [UInt8],
    _ mark: Int?
  ) throws -> Remembered? {
    guard let remembered else { return nil }
    if let mark, remembered.record.isConfirmed(at: mark) { return remembered }
    guard case .found(let bytes) = try engine.get(key, cachedOnly: true),
      bytes == remembered.record.bytes
    else { return nil }
    if let mark { remembered.record.confirm(at: mark) }
    return remembered
  }
}
