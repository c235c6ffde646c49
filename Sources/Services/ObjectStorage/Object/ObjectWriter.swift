import KeyValueStore

/// Changes a bucket's objects in one write of a group.
///
/// On the writing thread alone; its reads are as of the write itself.
struct ObjectWriter {
  let group: any KeyValueGroup
  let bucket: StoredBucket
  let configuration: StorageConfiguration
  /// In microseconds; also the generation of a new object.
  let now: Int64
  /// The number of events that led to the change, one causing the next.
  var eventDepth = 0

  init(
    _ group: any KeyValueGroup,
    _ bucket: StoredBucket,
    _ configuration: StorageConfiguration
  ) throws {
    self.group = group
    self.bucket = try group.bucket(bucket)
    self.configuration = configuration
    now = try group.allocateVersion()
  }

  /// Puts a new generation in the place of the current one, and retains its blob.
  ///
  /// - Parameter content: The blob's bytes, for the engine to keep; nil where the blob store has them.
  func insert(
    _ new: NewObject,
    _ hashes: ContentHashes,
    _ blob: BlobID,
    content: [UInt8]? = nil,
    componentCount: Int? = nil,
    basis: DecisionBasis?
  ) throws -> StoredObject {
    let existing = try group.object(new.name, in: bucket)
    try basis?.check(existing)
    try new.preconditions.check(existing)
    // First: the replaced object may have the same blob.
    try group.retain(blob, size: hashes.size, content: content)
    if let existing { try retire(existing) }
    var hashes = hashes
    if let tag = new.partsTag { hashes.partsTag = tag }
    var attributes = new.attributes
    attributes.storageClass = attributes.storageClass ?? bucket.configuration.storageClass
    let object = StoredObject(
      bucket: bucket.name,
      name: new.name,
      generation: now,
      metageneration: 1,
      attributes: attributes,
      hashes: hashes,
      componentCount: componentCount,
      created: now,
      updated: now,
      state: .live,
      blob: blob
    )
    try count(objects: 1, bytes: hashes.size, isChecked: true)
    try countPart(object, 1)
    try put(object)
    try tell(object, .finalized)
    return object
  }

  /// Lets followers write along; parts of unfinished uploads belong to no object.
  func tell(_ object: StoredObject, _ change: ObjectFollower.Change) throws {
    guard let follower = configuration.follower, bucket.project != UploadPart.project else {
      return
    }
    try follower.write(group, bucket.project, object, change, eventDepth)
  }

  /// Takes the live generation away: it is kept as the bucket says, or its blob is released.
  func retire(_ object: StoredObject) throws {
    try object.checkHolds()
    try group.delete(StorageKey.object(bucket.number, object.name))
    var older = object
    if bucket.configuration.isVersioned {
      older.state = .noncurrent(since: now)
      try tell(older, .archived)
      return try put(older)
    }
    try tell(object, .deleted)
    try erase(older)
  }

  /// Deletes a generation that is no longer live; it can be restored where the bucket says so.
  func deleteVersion(_ object: StoredObject) throws {
    try object.checkHolds()
    try group.delete(StorageKey.version(bucket.number, object.name, object.generation))
    try tell(object, .deleted)
    try erase(object)
  }

  /// Deletes for good.
  func destroy(_ object: StoredObject) throws {
    try group.delete(StorageKey.version(bucket.number, object.name, object.generation))
    try forget(object)
  }

  private func erase(_ object: StoredObject) throws {
    let seconds = bucket.configuration.softDeleteSeconds
    guard seconds > 0 else { return try forget(object) }
    var erased = object
    erased.state = .softDeleted(at: now, until: now + seconds * 1_000_000)
    try put(erased)
  }

  /// Nothing is left of the object's record: neither do its bytes nor the counts have to be.
  private func forget(_ object: StoredObject) throws {
    try group.release(object.blob)
    try count(objects: -1, bytes: -object.size, isChecked: false)
    try countPart(object, -1)
  }

  /// Counts a part of an unfinished upload as such; throws where that is beyond a bound.
  private func countPart(_ object: StoredObject, _ sign: Int64) throws {
    guard bucket.project == UploadPart.project,
      let (part, project) = UploadPart.read(object.attributes)
    else { return }
    try group.count(
      of: project,
      caller: nil,
      network: nil,
      uploads: part == .upload ? sign : 0,
      bytes: sign * object.size,
      limits: sign > 0 ? configuration.uploadLimits : nil
    )
  }

  func put(_ object: StoredObject) throws {
    let key =
      object.isLive
      ? StorageKey.object(bucket.number, object.name)
      : StorageKey.version(bucket.number, object.name, object.generation)
    try group.put(key, ObjectRecord.bytes(object))
  }

  /// Counts the bucket's contents; throws if the quota is checked and exceeded.
  func count(objects: Int64, bytes: Int64, isChecked: Bool) throws {
    var usage = try group.usage(of: bucket)
    usage.objects += objects
    usage.bytes += bytes
    try group.put(StorageKey.usage(bucket.number), usage.record)
    guard isChecked else { return }
    try group.checkQuotas(of: bucket, project: configuration.projectQuotaBytes)
  }
}
