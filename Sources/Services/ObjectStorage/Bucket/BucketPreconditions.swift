/// What must hold of a bucket for a request to be done; nil is no condition.
package struct BucketPreconditions: Sendable, Hashable {
  package var metageneration: Int64?
  package var notMetageneration: Int64?

  /// No condition.
  package init() {}

  /// Throws `conditionNotMet` unless all hold.
  func check(_ bucket: StoredBucket) throws(StorageError) {
    guard metageneration ?? bucket.metageneration == bucket.metageneration,
      notMetageneration != bucket.metageneration
    else { throw .conditionNotMet }
  }
}
