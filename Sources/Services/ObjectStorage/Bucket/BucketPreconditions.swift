/// The conditions that a bucket must meet for a request to be done; nil is no condition.
package struct BucketPreconditions: Sendable, Hashable {
  /// The metageneration that the bucket must have.
  package var metageneration: Int64?
  /// The metageneration that the bucket must not have; a reader that has it gets `notModified`.
  package var notMetageneration: Int64?
  /// Tags of which one must be the bucket's; `*` is any bucket's.
  package var entityTags: [String]?
  /// Tags of which none may be the bucket's.
  package var notEntityTags: [String]?

  /// No condition.
  package init() {}

  /// Throws `conditionNotMet` unless all hold.
  func check(_ bucket: StoredBucket) throws(StorageError) {
    guard isMet(positivesBy: bucket), isMet(negativesBy: bucket) else { throw .conditionNotMet }
  }

  /// The same for a read: where it is a `not…` that fails, the reader has the bucket already.
  package func checkRead(_ bucket: StoredBucket) throws(StorageError) {
    guard isMet(positivesBy: bucket) else { throw .conditionNotMet }
    guard isMet(negativesBy: bucket) else { throw StorageError(.notModified, "Not Modified") }
  }

  private func isMet(positivesBy bucket: StoredBucket) -> Bool {
    metageneration ?? bucket.metageneration == bucket.metageneration
      && entityTags.map { Self.list($0, has: bucket) } ?? true
  }

  private func isMet(negativesBy bucket: StoredBucket) -> Bool {
    notMetageneration != bucket.metageneration
      && notEntityTags.map { !Self.list($0, has: bucket) } ?? true
  }

  private static func list(_ tags: [String], has bucket: StoredBucket) -> Bool {
    tags.contains { $0 == "*" || $0 == bucket.entityTag }
  }
}
