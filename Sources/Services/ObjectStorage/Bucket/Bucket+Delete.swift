import KeyValueStore

extension Bucket {
  /// Deletes the bucket, which must be empty but for deleted objects that could be restored: these go for good.
  package func delete(_ preconditions: BucketPreconditions = BucketPreconditions()) async throws {
    try await requireErased(preconditions)
    var isDeleted = false
    while !isDeleted {
      isDeleted = try await storage.write { [stored, configuration = storage.configuration] group in
        let bucket = try group.bucket(stored)
        try preconditions.check(bucket)
        let (erased, _) = try group.erased(of: bucket, from: [])
        let writer = try ObjectWriter(group, bucket, configuration)
        for object in erased { try writer.destroy(object) }
        guard erased.isEmpty else { return false }
        try group.delete(StorageKey.bucket(bucket.name))
        try group.delete(StorageKey.projectBucket(bucket.project, bucket.name))
        try group.delete(StorageKey.usage(bucket.number))
        return true
      }
      storage.noteReleased()
    }
  }

  /// Throws `conflict` where an object was not deleted, before any is destroyed.
  private func requireErased(_ preconditions: BucketPreconditions) async throws {
    var next: [UInt8]? = []
    while let name = next {
      next = try await storage.read(on: .scans) { [stored] view in
        let bucket = try view.bucket(stored)
        try preconditions.check(bucket)
        return try view.erased(of: bucket, from: name).next
      }
    }
  }
}

extension KeyValueReader {
  /// Some hundred deleted objects that could be restored, by name; throws `conflict` where there are others.
  ///
  /// - Returns: The objects, and the name that comes next; nil at the end.
  fileprivate func erased(
    of bucket: StoredBucket,
    from name: [UInt8]
  ) throws -> (objects: [StoredObject], next: [UInt8]?) {
    let (found, next) = try generations(of: bucket, .all, from: name, limit: 200)
    guard found.allSatisfy(\.isSoftDeleted) else {
      throw StorageError(.conflict, "The bucket you tried to delete is not empty.")
    }
    return (found, next)
  }
}
