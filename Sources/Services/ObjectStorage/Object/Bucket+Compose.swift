/// One of the objects that another is composed of.
package struct ComposeSource: Sendable, Hashable {
  /// An object of the same bucket.
  package var name: ObjectName
  /// The generation to read, live or older; nil is the live one.
  package var generation: Int64?
  /// Conditions on the source, checked before any byte is copied.
  package var preconditions: ObjectPreconditions

  /// A live generation.
  package init(
    _ name: ObjectName,
    generation: Int64? = nil,
    preconditions: ObjectPreconditions = ObjectPreconditions()
  ) {
    self.name = name
    self.generation = generation
    self.preconditions = preconditions
  }
}

extension Bucket {
  /// The most objects that one is composed of at once.
  package static let composeLimit = 32

  /// Makes an object of the bytes of others, one after the other; it has no MD5, and no type but
  /// what the client says.
  package func compose(
    _ sources: [ComposeSource],
    into new: NewObject
  ) async throws -> StoredObject {
    guard !sources.isEmpty else {
      throw StorageError(.invalid, "You must provide at least one source component.")
    }
    guard sources.count <= Self.composeLimit else {
      throw StorageError(
        .invalid,
        "The number of source components provided (\(sources.count)) exceeds the maximum (32)."
      )
    }
    var objects: [StoredObject] = []
    for source in sources {
      let object = try await object(source.name, generation: source.generation)
      try source.preconditions.check(object)
      objects.append(object)
    }
    var new = new
    new.expected.size = objects.reduce(0) { $0 + $1.size }
    return try await concatenate(objects, into: new)
  }

  private func concatenate(
    _ objects: [StoredObject],
    into new: NewObject
  ) async throws -> StoredObject {
    try await prepare(new)
    let blob = BlobID.random()
    storage.blobsInUse.insert(blob)
    do {
      let all = try await write(objects, to: try await storage.blobs.begin(blob))
      let components = objects.reduce(0) { $0 + ($1.componentCount ?? 1) }
      let hashes = ContentHashes(size: all.size, crc32c: all.crc32c, md5: nil)
      let object = try await commit(new, hashes, blob, componentCount: components)
      storage.blobsInUse.remove(blob)
      return object
    } catch {
      await storage.discard(blob, after: error)
      throw error
    }
  }

  /// Writes the bytes of objects one after the other, and finishes the blob.
  private func write(
    _ objects: [StoredObject],
    to writer: any BlobWriter
  ) async throws -> ContentHashes {
    var sink = ContentSink(writer, storage.partMemory)
    let room = RoomGrant(storage.room)
    let expected = objects.reduce(0) { $0 + $1.size }
    do {
      for object in objects {
        for try await part in try await content(of: object).checkedParts {
          try await storage.requireRoom(
            for: Int64(part.count),
            behind: sink.size,
            unwritten: sink.unwritten,
            expected: expected,
            room
          )
          try await sink.take(part)
        }
      }
      try await sink.flush()
      try await writer.finish()
      return sink.hashes
    } catch {
      await sink.close()
      throw error
    }
  }
}
