import KeyValueStore

/// The source and the target of a copy.
package struct ObjectCopy: Sendable {
  /// An object of the bucket that `copy` or `move` is called on.
  package var source: ObjectName
  /// The source's generation, live or older; nil is the live one.
  package var generation: Int64?
  /// Conditions on the source; those on the target are in `target`.
  package var sourcePreconditions: ObjectPreconditions
  /// The new object; its attributes count only for `copy` without `keepsAttributes`.
  package var target: NewObject
  /// True if the target's attributes are the source's; otherwise they are the request's.
  package var keepsAttributes: Bool

  /// A copy of the live generation, with the source's attributes.
  package init(_ source: ObjectName, to target: NewObject) {
    self.source = source
    self.target = target
    generation = nil
    sourcePreconditions = ObjectPreconditions()
    keepsAttributes = true
  }
}

extension Bucket {
  /// Copies an object of this bucket into another, immediately for any size: both share the blob.
  package func copy(_ copy: ObjectCopy, to bucket: Bucket) async throws -> StoredObject {
    let source = try await copySource(copy)
    var new = copy.target
    if copy.keepsAttributes {
      new.attributes = source.attributes.copied
      // Google's: a copy is of the class of the bucket that it goes to.
      if bucket.name != name { new.attributes.storageClass = nil }
    }
    try new.attributes.check()
    let target = new
    let object = try await bucket.decided(
      target.name,
      { _ in bucket.storing(target.name, target.attributes, source.hashes) },
      { basis in
        try await bucket.write { writer in
          try requireUnchanged(source, writer.group)
          return try writer.insert(
            target,
            source.hashes,
            source.blob,
            componentCount: source.componentCount,
            basis: basis
          )
        }
      }
    )
    storage.noteReleased()
    return object
  }

  /// Renames an object within the bucket, in one write; the move applies to its state at that time,
  /// with its preconditions.
  package func move(_ copy: ObjectCopy) async throws -> StoredObject {
    for _ in 0..<4 {
      do {
        return try await move(try await copySource(copy), copy)
      } catch is SourceChanged {
        continue
      }
    }
    throw StorageError(.unavailable, "The object changes too often; try again.")
  }

  /// Moves the source that was read; throws `SourceChanged` if it is another one by then.
  func move(_ source: StoredObject, _ copy: ObjectCopy) async throws -> StoredObject {
    _ = try await decide(.delete, copy.source.text, existing: source)
    var new = copy.target
    new.attributes = source.attributes.copied
    let target = new
    let object = try await decided(
      target.name,
      { _ in storing(target.name, target.attributes, source.hashes) },
      { basis in
        try await write { writer in
          // All of it: the state used for preconditions and rules, its liveness, and its holds.
          let current = try writer.group.object(source.name, source.generation, in: writer.bucket)
          guard current == source else { throw SourceChanged() }
          let object = try writer.insert(
            target,
            source.hashes,
            source.blob,
            componentCount: source.componentCount,
            basis: basis
          )
          if source.name != target.name { try writer.take(source) }
          return object
        }
      }
    )
    storage.noteReleased()
    return object
  }

  private func copySource(_ copy: ObjectCopy) async throws -> StoredObject {
    let source = try await object(copy.source, generation: copy.generation)
    try copy.sourcePreconditions.check(source)
    return source
  }

  /// Throws where the source's generation is gone: its blob may be too.
  private func requireUnchanged(
    _ source: StoredObject,
    _ group: any KeyValueGroup
  ) throws {
    let bucket = try group.bucket(stored)
    guard let now = try group.object(source.name, source.generation, in: bucket),
      now.blob == source.blob, !now.isSoftDeleted
    else { throw StorageError.noObject(source.name, in: name) }
  }
}

/// The source of a move changed after it was read.
struct SourceChanged: Error {}

extension ObjectWriter {
  /// Takes a generation away as a deletion does, whether it is live or an older one.
  fileprivate func take(_ object: StoredObject) throws {
    try object.isLive ? retire(object) : deleteVersion(object)
  }
}

extension ObjectAttributes {
  /// The attributes that a copy takes over: holds are the original's.
  fileprivate var copied: ObjectAttributes {
    var attributes = self
    attributes.isHeld = false
    attributes.isHeldForEvent = false
    return attributes
  }
}
