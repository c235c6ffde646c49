import Access
import BaseText

/// One bucket, for the caller that a permit is for.
///
/// Had from `ObjectStorage.bucket` alone. Its operations on objects are in extensions; each calls
/// `decide` first. Any thread may call.
package struct Bucket: Sendable {
  /// The bucket when the handle was made.
  package let stored: StoredBucket
  let storage: ObjectStorage
  /// The caller's right to the bucket: everything, or the operations that the rules allow.
  package let permit: BucketPermit

  init(_ storage: ObjectStorage, _ stored: StoredBucket, _ permit: BucketPermit) {
    self.storage = storage
    self.stored = stored
    self.permit = permit
  }

  /// The bucket's name, which is unique over all projects.
  package var name: BucketName { stored.name }

  /// Returns the size of the bucket's contents.
  package func usage() async throws -> BucketUsage {
    try await storage.read { [stored] in try $0.usage(of: stored) }
  }

  /// Changes the settings of the bucket; `change` sees them as they are and may throw.
  ///
  /// - Parameter preconditions: Conditions on the bucket, checked in the same write.
  package func update(
    _ preconditions: BucketPreconditions = BucketPreconditions(),
    _ change: @escaping @Sendable (inout BucketConfiguration) throws -> Void
  ) async throws -> StoredBucket {
    try await storage.write { [stored] group in
      var bucket = try group.bucket(stored)
      try preconditions.check(bucket)
      try change(&bucket.configuration)
      try bucket.configuration.check()
      bucket.metageneration += 1
      bucket.updated = try group.allocateVersion()
      try group.put(bucket)
      return bucket
    }
  }
}

extension ObjectStorage {
  /// Makes a bucket; throws `conflict` where there is one of that name.
  package func makeBucket(
    _ permit: BucketPermit,
    _ configuration: BucketConfiguration
  ) async throws -> Bucket {
    let name = try BucketName(permit.bucket.name.string)
    try configuration.check()
    let stored = try await write { group in
      if let other = try group.bucket(name) {
        guard other.project == permit.bucket.project else { throw StorageError.nameOfAnother }
        throw StorageError(
          .conflict,
          "Your previous request to create the named bucket succeeded and you already own it."
        )
      }
      return try group.makeBucket(name, permit.bucket.project, configuration)
    }
    return Bucket(self, stored, permit)
  }

  /// Gives a bucket that another project made to the project that its name belongs to, with its objects.
  ///
  /// Throws `notFound` where there is none, `conflict` where it is in the right hands already.
  package func assignToOwner(
    _ name: BucketName,
    _ permit: AdministratorPermit
  ) async throws -> StoredBucket {
    try await write { group in
      guard var bucket = try group.bucket(name) else { throw StorageError.noBucket(name) }
      guard !bucket.isRightful, let owner = BucketID.owner(ofName: name.text) else {
        throw StorageError(
          .conflict,
          "The bucket \(name.text.string) belongs to the project \(bucket.project.string)."
        )
      }
      try group.move(&bucket, to: owner)
      return bucket
    }
  }

  /// A project's buckets by name.
  ///
  /// - Parameter first: The least name that is listed; where a page ended.
  package func buckets(
    of project: Text,
    from first: Text = "",
    limit: Int,
    _ permit: AdministratorPermit
  ) async throws -> [StoredBucket] {
    try await read { view in
      try view.bucketNames(of: project, from: first, limit: limit).compactMap {
        try view.bucket($0).flatMap { $0.isRightful ? $0 : nil }
      }
    }
  }
}
