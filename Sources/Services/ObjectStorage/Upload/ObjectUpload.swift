/// An object whose bytes arrive in one go.
///
/// One task at a time writes; it ends with `finish` or `cancel`, and nothing is visible before
/// `finish` has returned. Content of one part or a few small ones is stored at once, at the end.
package actor ObjectUpload {
  private let bucket: Bucket
  private let new: NewObject
  private let blob: BlobID
  /// All that came, while it is little.
  private var head: [UInt8] = []
  /// Takes the bytes once they are many.
  private var sink: ContentSink?
  /// True if some of the blob may have been written.
  private var hasBegun = false
  /// True once the commit failed and the object may be there all the same.
  private var mayBeStored = false
  private let room: RoomGrant

  init(_ bucket: Bucket, _ new: NewObject, _ blob: BlobID) {
    self.bucket = bucket
    self.new = new
    self.blob = blob
    room = RoomGrant(bucket.storage.room)
  }

  /// Bytes that came so far.
  package var size: Int64 { sink?.size ?? Int64(head.count) }

  /// Takes the next bytes; returns when more may follow.
  package func write(_ bytes: [UInt8]) async throws {
    let end = size + Int64(bytes.count)
    try await bucket.storage.requireRoom(
      for: Int64(bytes.count),
      behind: size,
      unwritten: sink?.unwritten ?? Int64(head.count),
      expected: new.expected.size,
      room
    )
    if sink == nil, end < Int64(ObjectContent.partBytes) {
      if head.isEmpty { head = bytes } else { head += bytes }
    } else {
      try await pass(bytes)
    }
    guard let limit = new.expected.size, end > limit else { return }
    throw StorageError(.invalid, "Received more than the expected \(limit) bytes of content.")
  }

  /// Hands bytes on to the blob, behind those that waited.
  private func pass(_ bytes: [UInt8]) async throws {
    var next = try await begun()
    if !head.isEmpty {
      try await next.take(head)
      head = []
    }
    try await next.take(bytes)
    sink = next
  }

  private func begun() async throws -> ContentSink {
    if let sink { return sink }
    hasBegun = true
    let storage = bucket.storage
    return ContentSink(try await storage.blobs.begin(blob), storage.partMemory)
  }

  /// Makes the object visible if the content is what was expected of it.
  ///
  /// - Parameter expected: The client's claims after the content; nil fields keep the earlier ones.
  package func finish(_ expected: ExpectedContent? = nil) async throws -> StoredObject {
    let hashes = try await hashes()
    try new.expected.check(hashes)
    try expected?.check(hashes)
    let content = try await landed()
    do {
      let object = try await bucket.commit(new, hashes, blob, content: content)
      bucket.storage.blobsInUse.remove(blob)
      return object
    } catch let error as StorageError where error.leavesOutcomeUnknown {
      mayBeStored = true
      throw error
    }
  }

  /// Makes the bytes durable, or hands them out where the engine is to keep them with the object's record.
  private func landed() async throws -> [UInt8]? {
    if let sink {
      try await sink.writer.finish()
      return nil
    }
    if bucket.storage.keepsInEngine(head.count) { return head }
    hasBegun = true
    try await bucket.storage.blobs.store(blob, head)
    return nil
  }

  /// Returns the hashes of all bytes that came; the blob has them all then, if it was begun.
  private func hashes() async throws -> ContentHashes {
    guard var last = sink else {
      var hasher = ContentHasher()
      hasher.update(head)
      return hasher.hashes
    }
    try await last.flush()
    sink = last
    return last.hashes
  }

  /// Gives the upload up, also after an error of the others.
  package func cancel() async {
    guard hasBegun else { return bucket.storage.blobsInUse.remove(blob) }
    await sink?.close()
    await bucket.storage.discard(blob, mayBeNamed: mayBeStored)
  }
}

extension Bucket {
  /// Begins an upload of an object.
  package func beginUpload(_ new: NewObject) async throws -> ObjectUpload {
    try await prepare(new)
    let blob = BlobID.random()
    storage.blobsInUse.insert(blob)
    return ObjectUpload(self, new, blob)
  }

  /// Stores an object whose bytes are a sequence's.
  package func upload(
    _ new: NewObject,
    from parts: some AsyncSequence<[UInt8], any Error>
  ) async throws -> StoredObject {
    let upload = try await beginUpload(new)
    do {
      for try await part in parts { try await upload.write(part) }
      return try await upload.finish()
    } catch {
      await upload.cancel()
      throw error
    }
  }

  /// Asks again whether the permit's holder may store an object, as far as it is known; throws where not.
  package func requireUpload(_ new: NewObject) async throws {
    guard !permit.isAdministrator else { return }
    let existing = try await storage.look { [stored] in try $0.object(new.name, in: stored) }
    _ = try await decide(storing(new), new.name.text, existing: existing)
  }

  /// The most bytes that an object may have.
  private static let sizeLimit: Int64 = 5 << 40

  /// Refuses early what would be refused at the end: attributes, sizes, rights, preconditions, room.
  func prepare(_ new: NewObject) async throws {
    try new.attributes.check()
    guard (0...Self.sizeLimit).contains(new.expected.size ?? 0) else {
      throw StorageError(.invalid, "Invalid size of the content: an object has at most 5 TiB.")
    }
    let existing = try await storage.look { [stored] in try $0.object(new.name, in: stored) }
    _ = try await decide(storing(new), new.name.text, existing: existing)
    try new.preconditions.check(existing)
    try existing?.checkHolds()
    if let size = new.expected.size { try await requireQuota(for: size, insteadOf: existing) }
    try await storage.requireRoom(for: new.expected.size ?? 0)
  }

  /// Throws where the quotas leave no room for an object; what it replaces goes, unless the bucket keeps it.
  private func requireQuota(for size: Int64, insteadOf existing: StoredObject?) async throws {
    let projectQuota = storage.configuration.projectQuotaBytes
    try await storage.look { [stored] view in
      let bucket = try view.bucket(stored)
      let keeps = bucket.configuration.isVersioned || bucket.configuration.softDeleteSeconds > 0
      let more = size - (keeps ? 0 : existing?.size ?? 0)
      try view.checkQuotas(of: bucket, with: more, project: projectQuota)
    }
  }

  /// The commit that makes a finished blob an object; decides once more, on the received data.
  ///
  /// - Parameter content: The blob's bytes, for the engine to keep; nil where the blob is finished in the blob store.
  func commit(
    _ new: NewObject,
    _ hashes: ContentHashes,
    _ blob: BlobID,
    content: [UInt8]? = nil,
    componentCount: Int? = nil,
    also: @escaping @Sendable (ObjectWriter, StoredObject) throws -> Void = { _, _ in }
  ) async throws -> StoredObject {
    // The bytes may have taken days to come.
    if permit.isOld { try await storage.threads.run { [permit] in try permit.requireAccount() } }
    let object = try await decided(
      new.name,
      { _ in storing(new.name, new.attributes, hashes) },
      { basis in
        try await write { writer in
          let object = try writer.insert(
            new,
            hashes,
            blob,
            content: content,
            componentCount: componentCount,
            basis: basis
          )
          try also(writer, object)
          return object
        }
      }
    )
    storage.noteReleased()
    return object
  }
}

extension ObjectStorage {
  /// Removes a blob that nothing names; what fails the sweep does again.
  ///
  /// - Parameter mayBeNamed: True if a commit that names the blob failed with an unknown outcome;
  ///   the blob stays then, and the sweep removes it once the store shows that nothing does.
  func discard(_ blob: BlobID, mayBeNamed: Bool = false) async {
    if !mayBeNamed {
      do {
        try await blobs.remove(blob)
      } catch {
        configuration.errorObserver(error)
      }
    }
    blobsInUse.remove(blob)
  }

  /// Removes the blob of a commit that failed with that error, unless the commit may come into force.
  func discard(_ blob: BlobID, after error: any Error) async {
    let mayBeNamed = (error as? StorageError)?.leavesOutcomeUnknown ?? false
    await discard(blob, mayBeNamed: mayBeNamed)
  }
}
