import Access

extension ObjectStorage {
  /// A bucket's generations in every state from a name on, those of a name together, for an export.
  ///
  /// - Returns: The generations with whether others share their bytes, and the name that comes next; nil at the end.
  package func generations(
    of bucket: StoredBucket,
    from name: [UInt8],
    limit: Int,
    _ permit: AdministratorPermit
  ) async throws -> (found: [(object: StoredObject, isShared: Bool)], next: [UInt8]?) {
    try await read(on: .scans) { view in
      let (objects, next) = try view.generations(of: bucket, .all, from: name, limit: limit)
      let found = try objects.map { object in
        (object: object, isShared: (try view.references(of: object.blob)?.count ?? 0) > 1)
      }
      return (found, next)
    }
  }

  /// Opens the bytes of an object for an export; nil if the object was removed in the meantime.
  package func content(
    of object: StoredObject,
    in bucket: StoredBucket,
    _ permit: AdministratorPermit
  ) async throws -> ObjectContent? {
    do {
      return try await Bucket(self, bucket, try permit.bucket(bucket.id)).content(of: object)
    } catch let error as StorageError where error.code == .notFound {
      return nil
    }
  }

  /// Creates a bucket as it was exported, or applies its settings to an existing one.
  ///
  /// - Parameter configuration: Nil leaves one that is there as it is.
  package func importBucket(
    _ id: BucketID,
    _ configuration: BucketConfiguration?,
    _ permit: AdministratorPermit
  ) async throws -> StoredBucket {
    let name = try BucketName(id.name.string)
    try configuration?.check()
    guard name.mayBelong(to: id.project) else {
      throw StorageError(
        .conflict,
        "The bucket \(name.text.string) cannot be in project \(id.project.string): the name belongs to another project."
      )
    }
    return try await write { group in
      guard var bucket = try group.bucket(name) else {
        return try group.makeBucket(name, id.project, configuration ?? BucketConfiguration())
      }
      guard bucket.project == id.project else {
        throw StorageError(.conflict, "The bucket \(name.text.string) belongs to another project.")
      }
      guard let configuration, bucket.configuration != configuration else { return bucket }
      bucket.configuration = configuration
      bucket.metageneration += 1
      bucket.updated = try group.allocateVersion()
      try group.put(bucket)
      return bucket
    }
  }

  /// The generation that an import would store, where it is there already as it was exported.
  package func imported(
    _ object: ImportedObject,
    in bucket: StoredBucket,
    _ permit: AdministratorPermit
  ) async throws -> StoredObject? {
    try await read { view in
      let found = try view.object(object.name, object.generation, in: bucket)
      return found.flatMap { object.isStored(as: $0) ? $0 : nil }
    }
  }

  /// Begins to store the bytes of an imported object.
  package func beginImport(_ permit: AdministratorPermit) async throws -> BlobImport {
    try await requireRoom(for: 0)
    let blob = BlobID.random()
    blobsInUse.insert(blob)
    return BlobImport(self, blob)
  }

  /// Makes an imported object visible, in the state that it was in.
  ///
  /// A live one replaces the object with its name. It keeps its generation, unless the replaced
  /// object is newer or the store's clock is behind: generations of a name rise.
  ///
  /// - Parameter isNew: True if the bytes came for this object; otherwise another one has them.
  package func finishImport(
    _ object: ImportedObject,
    _ bytes: ImportedBytes,
    isNew: Bool,
    in bucket: StoredBucket,
    _ permit: AdministratorPermit
  ) async throws -> StoredObject {
    let blob = bytes.blob
    do {
      let stored = try await write(.background) { [configuration] group in
        guard try isNew || group.references(of: blob) != nil else {
          throw StorageError(
            .unavailable,
            "The object that shares these bytes was deleted."
          )
        }
        return try ObjectWriter(group, bucket, configuration).importObject(object, bytes)
      }
      if isNew { blobsInUse.remove(blob) }
      noteReleased()
      return stored
    } catch {
      if isNew { await discard(blob, after: error) }
      throw error
    }
  }
}

extension StoredBucket {
  fileprivate var id: BucketID { BucketID(project: project, name: name.text) }
}

/// One generation of an object as an export has it.
package struct ImportedObject: Sendable {
  /// The name in the bucket.
  package var name: ObjectName
  /// The generation in the store that was exported; `finishImport` says when it changes.
  package var generation: Int64
  /// Changes of the attributes, from 1, kept as exported.
  package var metageneration: Int64
  /// The attributes as exported, custom metadata and holds included.
  package var attributes: ObjectAttributes
  /// The size and CRC-32C that the bytes must have; the MD5 is stored as exported, unchecked.
  package var hashes: ContentHashes
  /// The number of objects that it was composed of; nil if it was not composed.
  package var componentCount: Int?
  /// The time when the generation was made, in microseconds since 1970.
  package var created: Int64
  /// The last change of the attributes, in microseconds since 1970.
  package var updated: Int64
  /// The state to store it in; a live one replaces the live object of its name.
  package var state: StoredObject.State

  /// A generation of which all is said.
  package init(
    _ name: ObjectName,
    generation: Int64,
    metageneration: Int64,
    attributes: ObjectAttributes,
    hashes: ContentHashes,
    componentCount: Int?,
    created: Int64,
    updated: Int64,
    state: StoredObject.State
  ) {
    self.name = name
    self.generation = generation
    self.metageneration = metageneration
    self.attributes = attributes
    self.hashes = hashes
    self.componentCount = componentCount
    self.created = created
    self.updated = updated
    self.state = state
  }

  /// Returns true if a generation is this one already.
  func isStored(as object: StoredObject) -> Bool {
    object.generation == generation && object.metageneration == metageneration
      && object.attributes == attributes && object.hashes == hashes && object.state == state
  }

  fileprivate func stored(
    in bucket: BucketName,
    _ blob: BlobID,
    generation: Int64
  ) -> StoredObject {
    StoredObject(
      bucket: bucket,
      name: name,
      generation: generation,
      metageneration: metageneration,
      attributes: attributes,
      hashes: hashes,
      componentCount: componentCount,
      created: created,
      updated: updated,
      state: state,
      blob: blob
    )
  }
}

/// The bytes of an imported object: in a blob that is finished, or on their way into the engine.
package struct ImportedBytes: Sendable {
  /// The blob that the object will name, whichever of the two stores its bytes.
  package let blob: BlobID
  /// The bytes, for the engine to keep; nil where the blob has them.
  fileprivate let content: [UInt8]?

  /// Those of a blob that is there.
  package init(_ blob: BlobID) { self.init(blob, content: nil) }

  fileprivate init(_ blob: BlobID, content: [UInt8]?) {
    self.blob = blob
    self.content = content
  }
}

/// The bytes of an imported object on their way; one task at a time, ended by `finish` or `cancel`.
package actor BlobImport {
  private let storage: ObjectStorage
  private let blob: BlobID
  /// All that came, while the engine may keep it.
  private var head: [UInt8] = []
  /// Takes the bytes once they are too many for that.
  private var sink: ContentSink?
  /// True if some of the blob may have been written.
  private var hasBegun = false
  private let room: RoomGrant

  init(_ storage: ObjectStorage, _ blob: BlobID) {
    self.storage = storage
    self.blob = blob
    room = RoomGrant(storage.room)
  }

  /// Takes the next bytes.
  package func write(_ bytes: [UInt8]) async throws {
    try await storage.requireRoom(
      for: Int64(bytes.count),
      behind: sink?.size ?? Int64(head.count),
      unwritten: sink?.unwritten ?? Int64(head.count),
      expected: nil,
      room
    )
    if sink == nil, storage.keepsInEngine(head.count + bytes.count) {
      head += bytes
    } else {
      try await pass(bytes)
    }
  }

  /// Hands bytes on to the blob, behind those that waited.
  private func pass(_ bytes: [UInt8]) async throws {
    var next = try await begun()
    try await next.take(head)
    head = []
    try await next.take(bytes)
    sink = next
  }

  private func begun() async throws -> ContentSink {
    if let sink { return sink }
    hasBegun = true
    return ContentSink(try await storage.blobs.begin(blob), storage.partMemory)
  }

  /// Makes the bytes durable if they are those that were exported, and gives where they are.
  package func finish(_ expected: ContentHashes) async throws -> ImportedBytes {
    if sink == nil, storage.keepsInEngine(head.count) {
      var hasher = ContentHasher()
      hasher.update(head)
      try Self.check(hasher.hashes, expected)
      return ImportedBytes(blob, content: head)
    }
    var last = try await begun()
    try await last.flush()
    sink = last
    try Self.check(last.hashes, expected)
    try await last.writer.finish()
    return ImportedBytes(blob)
  }

  private static func check(_ actual: ContentHashes, _ expected: ContentHashes) throws {
    guard actual.size == expected.size, actual.crc32c == expected.crc32c else {
      throw StorageError(.invalid, "The bytes differ from the exported ones.")
    }
  }

  /// Gives the bytes up.
  package func cancel() async {
    guard hasBegun else { return storage.blobsInUse.remove(blob) }
    await sink?.close()
    await storage.discard(blob)
  }
}

extension ObjectWriter {
  fileprivate func importObject(
    _ object: ImportedObject,
    _ bytes: ImportedBytes
  ) throws -> StoredObject {
    let blob = bytes.blob
    // First: the replaced object may have the same bytes.
    try group.retain(blob, size: object.hashes.size, content: bytes.content)
    guard object.state == .live else { return try importOlder(object, blob) }
    var generation = object.generation
    if let existing = try group.object(object.name, in: bucket) {
      if existing.generation > generation || now < generation { generation = now }
      if existing.generation == generation {
        // The same generation with other attributes: there is no room for both.
        try removeLive(existing)
      } else {
        try retire(existing)
      }
    } else if now < generation {
      generation = now
    }
    // The generation may be there as one that is live no longer.
    if let older = try group.object(object.name, generation, in: bucket) { try destroy(older) }
    return try add(object.stored(in: bucket.name, blob, generation: generation))
  }

  /// A generation that was no longer live takes its own place among the older ones.
  private func importOlder(_ object: ImportedObject, _ blob: BlobID) throws -> StoredObject {
    if let existing = try group.object(object.name, object.generation, in: bucket) {
      try existing.isLive ? removeLive(existing) : destroy(existing)
    }
    return try add(object.stored(in: bucket.name, blob, generation: object.generation))
  }

  private func removeLive(_ object: StoredObject) throws {
    try object.checkHolds()
    try group.delete(StorageKey.object(bucket.number, object.name))
    try group.release(object.blob)
    try count(objects: -1, bytes: -object.size, isChecked: false)
  }

  private func add(_ object: StoredObject) throws -> StoredObject {
    try count(objects: 1, bytes: object.size, isChecked: true)
    try put(object)
    return object
  }
}
