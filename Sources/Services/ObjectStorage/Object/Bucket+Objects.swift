import SecurityRules

extension Bucket {
  /// An object's generation; the live one unless another is named.
  ///
  /// Throws `notFound` where there is none, and what the preconditions say.
  package func object(
    _ name: ObjectName,
    generation: Int64? = nil,
    isSoftDeleted: Bool = false,
    _ preconditions: ObjectPreconditions = ObjectPreconditions()
  ) async throws -> StoredObject {
    let found = try await storage.look { [stored] in
      try $0.object(name, generation, in: stored)
    }
    _ = try await decide(.get, name.text, existing: found)
    guard let found, found.isSoftDeleted == isSoftDeleted else {
      throw StorageError.noObject(name, in: self.name)
    }
    try preconditions.checkRead(found)
    return found
  }

  /// Changes an object's attributes; `change` sees them as they are and may throw.
  package func update(
    _ name: ObjectName,
    generation: Int64? = nil,
    _ preconditions: ObjectPreconditions = ObjectPreconditions(),
    _ change: @escaping @Sendable (inout ObjectAttributes) throws -> Void
  ) async throws -> StoredObject {
    try await decided(
      name,
      { existing in
        var attributes = existing?.attributes ?? ObjectAttributes()
        try change(&attributes)
        return .update(StorageResource(self.name, name, attributes, existing?.hashes))
      },
      { basis in
        try await write { writer in
          let found = try writer.existing(name, generation, basis)
          try preconditions.check(found)
          var object = found
          try change(&object.attributes)
          try object.attributes.check()
          try object.attributes.checkCustomTime(replacing: found.attributes)
          object.metageneration += 1
          object.updated = writer.now
          try writer.put(object)
          try writer.tell(object, .metadataUpdated)
          return object
        }
      }
    )
  }

  /// Deletes an object, or one generation of it.
  package func delete(
    _ name: ObjectName,
    generation: Int64? = nil,
    _ preconditions: ObjectPreconditions = ObjectPreconditions()
  ) async throws {
    try await decided(name, { _ in .delete }) { basis in
      try await write { writer in
        let found = try writer.existing(name, generation, basis)
        try preconditions.check(found)
        if generation != nil, found.isLive, writer.bucket.configuration.isVersioned {
          try writer.deleteLive(found)
        } else if found.isLive {
          try writer.retire(found)
        } else {
          try writer.deleteVersion(found)
        }
      }
    }
    storage.noteReleased()
  }

  /// Makes a generation that was deleted the live one again, as a generation of its own.
  package func restore(
    _ name: ObjectName,
    generation: Int64,
    _ preconditions: ObjectPreconditions = ObjectPreconditions()
  ) async throws -> StoredObject {
    let old = try await storage.read { [stored] in try $0.object(name, generation, in: stored) }
    let request = storing(name, old?.attributes ?? ObjectAttributes(), old?.hashes)
    return try await decided(name, { _ in request }) { basis in
      try await write { writer in
        try basis?.check(try writer.group.object(name, in: writer.bucket))
        return try writer.restore(name, generation, preconditions)
      }
    }
  }

  /// Opens an object's bytes.
  package func content(of object: StoredObject) async throws -> ObjectContent {
    try await opening(object) {
      ObjectContent(try await storage.reader(of: object), object)
    }
  }

  /// All bytes of an object that is small enough to be remembered, which it then is; nil for a larger one.
  package func smallContent(of object: StoredObject) async throws -> [UInt8]? {
    guard storage.memory.takes(object.size) else { return nil }
    let bytes = try await opening(object) {
      try await storage.contents(of: object)
    }
    guard bytes.count == Int(object.size) else { throw ObjectContent.endsTooEarly }
    if object.isLive {
      storage.memory.keep(object, bytes, StorageKey.object(stored.number, object.name))
    }
    return bytes
  }

  /// Says of a blob that is not there whether the object is gone or damaged.
  private func opening<R>(_ object: StoredObject, _ open: () async throws -> R) async throws -> R {
    do {
      return try await open()
    } catch let error as StorageError where error.code == .notFound {
      let current = try await storage.look { [stored] in
        try $0.object(object.name, object.generation, in: stored)
      }
      guard current?.blob == object.blob else {
        throw StorageError.noObject(object.name, in: name)
      }
      throw StorageError(.corrupt, "The bytes of an object are missing.", cause: error)
    }
  }

  /// Changes objects in one write.
  func write<R: Sendable>(
    _ body: @escaping @Sendable (ObjectWriter) throws -> R
  ) async throws -> R {
    let depth = permit.eventDepth
    return try await storage.write { [stored, configuration = storage.configuration] group in
      var writer = try ObjectWriter(group, stored, configuration)
      writer.eventDepth = depth
      return try body(writer)
    }
  }
}

extension StoredObject {
  var isSoftDeleted: Bool {
    if case .softDeleted = state { true } else { false }
  }
}

extension ObjectWriter {
  /// A generation that is there and was not deleted.
  fileprivate func existing(
    _ name: ObjectName,
    _ generation: Int64?,
    _ basis: DecisionBasis?
  ) throws -> StoredObject {
    let found = try group.object(name, generation, in: bucket)
    if generation == nil { try basis?.check(found) }
    guard let found, !found.isSoftDeleted else {
      throw StorageError.noObject(name, in: bucket.name)
    }
    return found
  }

  /// Puts a deleted generation in the place of the current one.
  fileprivate func restore(
    _ name: ObjectName,
    _ generation: Int64,
    _ preconditions: ObjectPreconditions
  ) throws -> StoredObject {
    let found = try group.object(name, generation, in: bucket)
    guard let found, found.isSoftDeleted else {
      throw StorageError.noObject(name, in: bucket.name)
    }
    let object = try insert(
      NewObject(name, attributes: found.attributes, preconditions: preconditions),
      found.hashes,
      found.blob,
      componentCount: found.componentCount,
      basis: nil
    )
    try destroy(found)
    return object
  }

  /// Deletes the live generation of a bucket that keeps versions as if it were an older one.
  fileprivate func deleteLive(_ object: StoredObject) throws {
    try object.checkHolds()
    try group.delete(StorageKey.object(bucket.number, object.name))
    try deleteVersion(object)
  }
}
