import BaseText
import KeyValueStore

extension ObjectStorage {
  /// Deletes what the buckets' lifecycle rules name, some objects a write.
  func applyLifecycles() async throws {
    for bucket in try await allBuckets() where !bucket.configuration.lifecycle.isEmpty {
      try await visit(bucket, .all) { batch, now in
        let rules = bucket.configuration.lifecycle
        return Self.withNewer(batch).filter { object, newer in
          !object.isSoftDeleted
            && rules.contains { $0.matches(object, newer: newer, now: now) }
        }.map(\.0)
      }
    }
  }

  /// Destroys what was deleted and can be restored no more.
  func destroySoftDeleted() async throws {
    for bucket in try await allBuckets() {
      try await visit(bucket, .softDeleted) { batch, now in
        batch.filter { object in
          guard case .softDeleted(_, let end) = object.state else { return false }
          return end <= now
        }
      }
    }
  }

  private func allBuckets() async throws -> [StoredBucket] {
    try await read(on: .maintenance) { try $0.allBuckets() }
  }

  /// Walks the generations of a bucket in batches of whole names, and removes the chosen ones.
  private func visit(
    _ bucket: StoredBucket,
    _ versions: ObjectQuery.Versions,
    _ choose: @Sendable ([StoredObject], Int64) -> [StoredObject]
  ) async throws {
    var start: [UInt8]? = []
    let now = configuration.clock.now()
    while let from = start {
      try Task.checkCancellation()
      let (batch, next) = try await read(on: .maintenance) { view in
        try view.generations(of: bucket, versions, from: from, limit: 500)
      }
      try await remove(choose(batch, now), from: bucket)
      start = next
    }
  }

  private func remove(_ chosen: [StoredObject], from bucket: StoredBucket) async throws {
    for object in chosen {
      do {
        try await write(.background) { [configuration] group in
          let writer = try ObjectWriter(group, bucket, configuration)
          let current = try group.object(object.name, object.generation, in: writer.bucket)
          guard let current, current == object else { return }
          switch current.state {
          case .live: try writer.retire(current)
          case .noncurrent: try writer.deleteVersion(current)
          case .softDeleted: try writer.destroy(current)
          }
        }
      } catch let error as StorageError where error.code == .forbidden {
        continue  // It is held.
      }
    }
    if !chosen.isEmpty { noteReleased() }
  }

  /// Each generation with how many of its name are newer.
  private static func withNewer(_ batch: [StoredObject]) -> [(StoredObject, Int64)] {
    var counts: [ObjectName: Int64] = [:]
    return batch.reversed().map { object in
      defer { if !object.isSoftDeleted { counts[object.name, default: 0] += 1 } }
      return (object, counts[object.name] ?? 0)
    }
  }
}

extension KeyValueReader {
  func allBuckets() throws -> [StoredBucket] {
    let prefix = StorageKey.prefix(.bucket)
    let cursor = try cursor(over: KeyRange(prefix: prefix), reversed: false)
    var buckets: [StoredBucket] = []
    while try cursor.next() {
      let name = Text(String(decoding: cursor.key[prefix.count...], as: UTF8.self))
      let record = try cursor.value(as: StoredBucket.format, in: self)
      buckets.append(try StoredBucket(BucketName(stored: name), record))
    }
    return buckets
  }

  /// Generations from a name on, those of a name together.
  ///
  /// - Returns: The generations, and the name that comes next; nil at the end.
  func generations(
    of bucket: StoredBucket,
    _ versions: ObjectQuery.Versions,
    from name: [UInt8],
    limit: Int
  ) throws -> ([StoredObject], [UInt8]?) {
    var cursor = try ObjectCursor(self, bucket, versions, end: nil)
    try cursor.seek(name)
    var found: [StoredObject] = []
    while let name = cursor.name {
      if found.count >= limit, found.last?.name.text.utf8 != name { return (found, name) }
      if let object = try cursor.object() { found.append(object) }
      try cursor.next()
    }
    return (found, nil)
  }
}
